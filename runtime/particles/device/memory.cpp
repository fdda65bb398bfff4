// See memory.hpp.
#include "particles/device/memory.hpp"

namespace halyard::particles::device {

Coordinates coordinates_on_gpu(const Particles& particles, const Roles& roles) {
  Coordinates x;
  x.is_float = roles.position == Scalar::f32;
  for (std::size_t a = 0; a < 3; ++a) {
    const ParticleArray& array = particles.arrays[roles.axes[a].array];
    x.first[a] = static_cast<const std::byte*>(array.data) + roles.axes[a].component * array.component_stride_bytes;
    x.stride[a] = array.stride_bytes;
    const auto all = pack::place_of(x.first[a]) | static_cast<pack::Place>(x.stride[a]);
    if (all % bytes_of(roles.position) != 0)
      throw Error(StatusCode::invalid_argument, "use particles in GPU memory: positions in array '" + array.name +
                                                    "' are not aligned to their scalar; align its address and strides");
  }
  return x;
}

pack::device::ElementArray element_array(const Particles& particles, const Roles& roles, std::size_t number) {
  const ParticleArray& array = particles.arrays[number];
  return {pack::place_of(array.data), array.stride_bytes, array.component_stride_bytes, array.element,
          roles.first_axis_of(number)};
}

}  // namespace halyard::particles::device
