// See records.hpp.
#include "particles/migrate/records.hpp"

#include "pack/gather.hpp"

namespace halyard::particles {
namespace {

pack::Gather::Strides dense(const ElementType& element) {
  return {static_cast<std::int64_t>(element.bytes()), static_cast<std::int64_t>(bytes_of(element.scalar))};
}

}  // namespace

void pack_records(const RecordShape& shape, std::span<const std::int32_t> numbers, std::byte* batch) {  // data path
  pack::Gather gather;
  gather.num_elements = static_cast<std::int64_t>(numbers.size());
  gather.source_numbers = numbers.data();
  for (const std::size_t a : shape.roles.migrating) {
    const ParticleArray& array = shape.particles.arrays[a];
    gather.element = array.element;
    gather.source_stride = strides_of(array);
    gather.target_stride = dense(array.element);
    pack::copy_gather(gather, static_cast<const std::byte*>(array.data), batch);
    batch += numbers.size() * array.element.bytes();
  }
  if (shape.has_origin) pack_origins(numbers, batch);
}

void pack_origins(std::span<const std::int32_t> numbers, std::byte* batch) {  // data path
  for (const std::int32_t number : numbers) {
    const std::int64_t origin = number;
    std::memcpy(batch, &origin, sizeof(origin));
    batch += sizeof(origin);
  }
}

void unpack_records(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
                    std::int64_t* origins) {  // data path
  pack::Gather gather;
  gather.num_elements = count;
  for (const std::size_t a : shape.roles.migrating) {
    const ParticleArray& array = shape.particles.arrays[a];
    gather.element = array.element;
    gather.source_stride = dense(array.element);
    gather.target_stride = strides_of(array);
    pack::copy_gather(gather, batch, static_cast<std::byte*>(array.data) + first * array.stride_bytes);
    batch += static_cast<std::size_t>(count) * array.element.bytes();
  }
  if (shape.has_origin) std::memcpy(origins, batch, static_cast<std::size_t>(count) * sizeof(std::int64_t));
}

}  // namespace halyard::particles
