// Way "cabana" of a build without Cabana: there is none. Twin of with_cabana.cpp.
#include "particles/way.hpp"

namespace halyard::bench {

std::unique_ptr<Way> make_with_cabana(MPI_Comm, const System&) { return nullptr; }

}  // namespace halyard::bench
