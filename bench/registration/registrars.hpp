// The registrars that the registration bench can measure. One line in registrars.cpp adds another.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "memory/registrar.hpp"

namespace halyard::bench {

struct RegistrarEntry {
  std::string_view name;
  /// Null where it cannot be had here, with the reason in `refusal`.
  std::unique_ptr<memory::Registrar> (*open)(std::string& refusal);
};

std::span<const RegistrarEntry> registrar_entries();

}  // namespace halyard::bench
