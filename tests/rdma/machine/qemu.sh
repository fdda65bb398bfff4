# shellcheck shell=bash disable=SC2154
# Sourced by tests/rdma/vm: the QEMU command line. Reads the variables of vm.

# tsc and the line of what guards a kernel: what costs an emulated processor most. net.ifnames=0: the card of a pair is
# eth0.
guest_kernel_words=(console=ttyS0 quiet loglevel=4 panic=-1 nokaslr cryptomgr.notests no_timer_check tsc=reliable
  random.trust_cpu=on net.ifnames=0
  mitigations=off audit=0 lsm=capability init_on_alloc=0 hardened_usercopy=off randomize_kstack_offset=off
  cgroup_disable=memory)

# Without erms: an emulated `rep movsb`, which that flag makes kernel and C library prefer, moves one byte at a time, at
# a fifth of the speed of a loop.
guest_processor=max,-erms,-fsrm

qemu_command() { # leaves it in the array `qemu`
  qemu=(qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none -machine "pc,usb=off,acpi=on"
    -accel "tcg,thread=multi" -cpu "$guest_processor" -smp "$cpus" -m "$memory"
    -kernel "$image" -initrd "$initramfs" -append "${guest_kernel_words[*]}" -serial "file:$work/console")
  add_folder host / ",readonly=on"
  add_folder share "$work/share"
  add_writable_folders
  add_streams
  add_network
}

add_folder() { # <tag> <path> [<more>] ; QEMU wants commas in values twice
  qemu+=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap${3:-}"
    -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

add_writable_folders() {
  local i
  for i in "${!writable[@]}"; do add_folder "writable$i" "${writable[$i]}"; done
}

# Standard output and error come out of two serial ports of the guest, unmixed and byte for byte.
add_streams() {
  qemu+=(-add-fd "fd=3,set=3" -add-fd "fd=4,set=4" -device virtio-serial-pci
    -chardev "file,id=out,path=/dev/fdset/3,append=on" -device "virtserialport,chardev=out,name=vm.out"
    -chardev "file,id=err,path=/dev/fdset/4,append=on" -device "virtserialport,chardev=err,name=vm.err")
}

# Two VMs talk through a pair of datagram sockets in a folder: no port is opened and nothing leaves this machine.
add_network() {
  local rest rank sockets
  qemu+=(-nic none)
  [[ $network == pair:* ]] || return 0
  rest=${network#pair:}
  rank=${rest##*:}
  sockets=${rest%:*}
  mkdir -p "$sockets"
  rm -f "$sockets/$rank.sock"
  sockets=${sockets//,/,,}
  qemu+=(-netdev "dgram,id=net,local.type=unix,local.path=$sockets/$rank.sock,remote.type=unix,remote.path=$sockets/$((1 - rank)).sock"
    -device "virtio-net-pci,netdev=net,mac=52:54:00:77:00:0$((rank + 1)),host_mtu=9000,romfile=")
}
