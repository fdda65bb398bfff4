// RegistrationError, see registrar.hpp.
#include "memory/registrar.hpp"

#include <cerrno>
#include <utility>

namespace halyard::memory {
namespace {

bool is_shortage_number(int error_number) {
  switch (error_number) {
    case ENOMEM:  // locked memory, or entries of the NIC's tables
    case EAGAIN:  // the same, as mlock says it
    case ENOSPC:  // the same, as some drivers say it
    case ENOBUFS:
    case EMFILE:  // dma-buf file descriptors
      return true;
    default:
      return false;
  }
}

}  // namespace

RegistrationError::RegistrationError(int error_number, std::string came_back)
    : Error(is_shortage_number(error_number) ? StatusCode::out_of_resources : StatusCode::not_supported,
            std::move(came_back)),
      error_number_(error_number) {}

bool RegistrationError::is_shortage() const { return is_shortage_number(error_number_); }

}  // namespace halyard::memory
