// Field case L04 under MPI_THREAD_FUNNELED: a call from a second thread is refused with a Status (or Error, in set-up)
// and changes nothing; the main thread goes on. Returns 0 when all of that holds.
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "halyard/halyard.hpp"

namespace {

int num_wrong = 0;

void expect(bool is_true, const char* what, const std::string& text) {
  if (is_true) return;
  ++num_wrong;
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
}

void expect_wrong_thread(const char* what, const halyard::Status& status) {
  const bool is_clear =
      status.code() == halyard::StatusCode::wrong_thread && status.text().find("MPI_Init_thread") != std::string::npos;
  expect(is_clear, what, status.text());
}

halyard::Status status_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const halyard::Error& error) {
    return error.status();
  }
  return {};
}

void on_another_thread(const std::function<void()>& step) { std::thread(step).join(); }

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  if (level != MPI_THREAD_FUNNELED) {
    std::printf("MPI gives thread level %d although FUNNELED was asked for\n", level);
    MPI_Finalize();
    return 77;
  }
  {
    halyard::Context context(MPI_COMM_WORLD);
    const int size = context.size();
    double field[6] = {};
    const halyard::BoxHalo halo{halyard::Decomposition::grid(halyard::Box::of_extent({4 * size, 1, 1}), {size, 1, 1}),
                                {true, false, false},
                                halyard::Width::axes(1, 0, 0)};
    const auto pattern = halyard::box_halo(halo, context.rank());
    const auto view = halyard::FieldView::grid(field, {4, 1, 1}, halo.width);
    halyard::HaloExchange exchange(context, pattern, {view});
    on_another_thread([&] {
      expect_wrong_thread("forward", exchange.forward().wait());
      expect_wrong_thread("reverse", exchange.reverse().wait());
      expect_wrong_thread("bind", status_of([&] { halyard::HaloExchange(context, pattern, {view}); }));
      expect_wrong_thread("index_halo", status_of([&] { (void)halyard::index_halo(context, halyard::IndexHalo{}); }));
    });
    halyard::Transfer transfer = exchange.forward();
    on_another_thread([&] {
      expect_wrong_thread("wait", transfer.wait());
      expect_wrong_thread("wait_on", transfer.wait_on(context.rank()));
    });
    const halyard::Status status = transfer.wait();
    expect(status.ok(), "the main thread's exchange", status.text());
  }
  // Refused before any rank waits for another.
  on_another_thread([] { expect_wrong_thread("context", status_of([] { halyard::Context context(MPI_COMM_SELF); })); });
  MPI_Finalize();
  return num_wrong == 0 ? 0 : 1;
}
