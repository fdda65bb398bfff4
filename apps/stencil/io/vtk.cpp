// Plane by plane, so that no second copy of the block is held.
#include "io/vtk.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "io/base64.hpp"

namespace halyard::stencil {
namespace {

std::string quoted(const std::string& text) {
  std::string attribute(1, '"');
  for (const char c : text) {
    if (c == '&')
      attribute += "&amp;";
    else if (c == '<')
      attribute += "&lt;";
    else if (c == '"')
      attribute += "&quot;";
    else
      attribute += c;
  }
  attribute += '"';
  return attribute;
}

std::string extent_text(const Box& box) {
  std::string text;
  for (std::size_t a = 0; a < 3; ++a) {
    if (a > 0) text += ' ';
    text.append(std::to_string(box.lo[a])).append(1, ' ').append(std::to_string(box.hi[a]));
  }
  return quoted(text);
}

std::string file_begin(const std::string& type) {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type +
         "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
}

std::string image_attributes(const Box& whole) {
  return "WholeExtent=" + extent_text(whole) + " Origin=\"0 0 0\" Spacing=\"1 1 1\"";
}

void write_cells(app::StagedFile& file, const Block& block) {
  Base64 base64;
  const auto bytes = sizeof(double) * static_cast<std::uint64_t>(Box::of_extent(block.extent).num_cells());
  file.write(base64.add(std::as_bytes(std::span(&bytes, 1))));
  std::vector<double> plane;
  for (std::int64_t z = 0; z < block.extent[2]; ++z) {
    plane.clear();
    for (std::int64_t y = 0; y < block.extent[1]; ++y)
      plane.insert(plane.end(), block.at({0, y, z}), block.at({0, y, z}) + block.extent[0]);
    file.write(base64.add(std::as_bytes(std::span(plane))));
  }
  file.write(base64.finish());
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

std::string piece_path(const std::string& prefix, int rank) { return prefix + "_" + std::to_string(rank) + ".vti"; }

void write_vti(app::StagedFile& file, const Piece3& piece, const Block& block) {
  file.write(file_begin("ImageData"));
  file.write("<ImageData " + image_attributes(Box::of_extent(piece.cells)) + ">\n");
  file.write("<Piece Extent=" + extent_text(piece.box) + ">\n<CellData Scalars=\"u\">\n");
  file.write("<DataArray type=\"Float64\" Name=\"u\" format=\"appended\" offset=\"0\"/>\n");
  file.write("</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"base64\">\n_");
  write_cells(file, block);
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

void write_pvti(app::StagedFile& file, const Decomposition& decomposition, const std::string& prefix) {
  file.write(file_begin("PImageData"));
  file.write("<PImageData " + image_attributes(decomposition.domain()) + " GhostLevel=\"0\">\n");
  file.write("<PCellData Scalars=\"u\">\n<PDataArray type=\"Float64\" Name=\"u\"/>\n</PCellData>\n");
  for (int id = 0; id < decomposition.num_patches(); ++id) {
    const Patch patch = decomposition.patch(id);
    if (patch.box.empty()) continue;
    file.write("<Piece Extent=" + extent_text(patch.box) +
               " Source=" + quoted(base_name(piece_path(prefix, patch.rank))) + "/>\n");
  }
  file.write("</PImageData>\n</VTKFile>\n");
}

}  // namespace halyard::stencil
