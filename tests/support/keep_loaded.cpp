// Linked into MPI tests of sanitizer builds only. Open MPI and UCX unload their plug-ins before the
// leak report is written, which would then name "<unknown module>" instead of a library that
// lsan.supp can list. So here nothing is ever unloaded.
extern "C" int dlclose(void* /*library*/) { return 0; }
