// See data_file.hpp.
#include "input/data_file.hpp"

#include "input/data_header.hpp"
#include "input/data_sections.hpp"
#include "input/line_reader.hpp"

namespace halyard::md {

System read_data(const std::string& name, std::string_view text) {
  LineReader reader(name, text);
  const DataHeader header = read_header(reader);
  if (reader.words().empty()) reader.fail_at_end("a section 'Atoms'");
  return DataSections(reader, header).read();
}

}  // namespace halyard::md
