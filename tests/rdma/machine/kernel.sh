# shellcheck shell=bash
# Sourced by tests/rdma/vm: the kernel and the initramfs that the VM boots. Both are kept in a cache, since making them
# takes longer than booting them.

# Not below /tmp under a name that others can guess: the guest reads all that we may read.
image_cache() { # <folder to use where nothing can be kept>
  local cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/halyard-rdma-vm
  if mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; then
    find "$cache" -type f -mtime +30 -delete 2>/dev/null || true
    echo "$cache"
  else
    echo "$1"
  fi
}

# The newest kernel that has soft-RoCE and whose image may be read.
kernel_version() { # <root>
  local version
  while read -r version; do
    [ -n "$(find "$1/lib/modules/$version/kernel/drivers/infiniband/sw/rxe" -name 'rdma_rxe.ko*' 2>/dev/null)" ] || continue
    [ -r "$(image_file "$1" "$version")" ] || continue
    echo "$version"
    return
  done < <(find "$1/lib/modules/" -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | sort -rV)
}

image_file() { echo "$1/boot/vmlinuz-$2"; } # <root> <version>

# Number of <bytes> bytes at <offset> of <file>.
number_at() { od -An -v -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; } # <file> <offset> <bytes>

# The compressed kernel inside a bzImage. Boot protocol: setup sectors at 0x1f1 (0 means 4), payload's offset from the
# protected-mode code at 0x248, its length at 0x24c.
payload_of() { # <bzImage>
  local sectors
  sectors=$(number_at "$1" $((0x1f1)) 1)
  [ "$sectors" -ne 0 ] || sectors=4
  tail -c "+$(((sectors + 1) * 512 + $(number_at "$1" $((0x248)) 4) + 1))" "$1" | head -c "$(number_at "$1" $((0x24c)) 4)"
}

unpack_payload() { # <bzImage>
  case $(payload_of "$1" | head -c 4 | od -An -t x1 | tr -d ' ') in
    fd377a58) payload_of "$1" | xz -dc ;;
    28b52ffd) payload_of "$1" | zstd -qdc ;;
    1f8b*) payload_of "$1" | gzip -dc ;;
  esac
}

# QEMU enters an ELF kernel through its PVH note, which saves the three seconds that an emulated processor needs to
# decompress. Where the image cannot be taken apart it is booted as it is.
kernel_image() { # <root> <version> <scratch folder>
  local image unpacked
  image=$(image_file "$1" "$2")
  unpacked=$(image_cache "$3")/vmlinux-$2-$(stat -L -c %Y-%s "$image")
  if [ ! -s "$unpacked" ]; then
    unpack_payload "$image" >"$unpacked.$$" 2>/dev/null || true
    if [ "$(head -c 4 "$unpacked.$$" | tail -c 3)" = ELF ]; then mv "$unpacked.$$" "$unpacked"; else rm -f "$unpacked.$$"; fi
  fi
  if [ -s "$unpacked" ]; then echo "$unpacked"; else echo "$image"; fi
}

# The modules that the guest needs, each after those it depends on. crc32_generic is what soft-RoCE asks for at run time;
# modprobe does not know.
module_files() { # <root> <version>
  local module
  for module in virtio_pci virtio_console virtio_net 9pnet_virtio 9p overlay crc32_generic crc32c_generic dummy veth \
    sch_netem rdma_rxe rdma_ucm ib_umad ib_uverbs; do
    modprobe -d "$1" -S "$2" --show-depends "$module" 2>/dev/null | awk '$1 == "insmod" { print $2 }'
  done | awk '!seen[$0]++'
}

unpack_module() { # <file>
  case $1 in
    *.xz) xz -dc "$1" ;;
    *.zst) zstd -qdc "$1" ;;
    *.gz) gzip -dc "$1" ;;
    *) cat "$1" ;;
  esac
}

fill_initramfs() { # <root> <version> <init> <folder>
  local file name
  mkdir -p "$4"/{bin,proc,sys,dev,modules,host,overlay}
  cp "$(command -v busybox)" "$4/bin/busybox"
  cp "$3" "$4/init"
  chmod 755 "$4/bin/busybox" "$4/init"
  while read -r file; do
    name=$(basename "$file")
    name=${name%%.ko*}
    unpack_module "$file" >"$4/modules/$name.ko"
    echo "$name" >>"$4/modules/order"
  done < <(module_files "$1" "$2")
}

# A file of its own for every kernel and every state of what it is made of.
initramfs_for() { # <root> <version> <init> <scratch folder>
  local key made
  key=$(cat "$3" "${BASH_SOURCE[0]}" "$(image_file "$1" "$2")" "$(command -v busybox)" | sha256sum | cut -c1-16)
  made=$(image_cache "$4")/initramfs-$2-$key.cpio
  if [ ! -s "$made" ]; then
    fill_initramfs "$1" "$2" "$3" "$4/initramfs"
    (cd "$4/initramfs" && find . | cpio -o -H newc --quiet) >"$made.$$"
    mv "$made.$$" "$made"
    rm -rf "$4/initramfs"
  fi
  echo "$made"
}
