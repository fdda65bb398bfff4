// What Open MPI reads. A build has more than 800 MCA parameters, and which ones depends on its components: only the
// installed `ompi_info` knows them all. Here are the frameworks of 4.1 and 5.0, so that a name that belongs to none of
// them is found without it, and the parameters that job scripts set, to name the nearest one.
#include "diagnose/environment/name_tables.hpp"

namespace halyard::diagnose {

const std::string_view kOpenMpiFrameworks =
    "accelerator allocator backtrace bml btl coll common compress crcp crs dl errmgr ess event fbtl fcoll filem fs "
    "grpcomm hook hwloc if io iof mca memchecker memcpy memory mpi mpool mtl odls ompi oob op opal orte osc part "
    "patcher plm pmix pml pstat ras rcache reachable regx rmaps rml routed rtc rte schizo sharedfp shmem smsc snapc "
    "sstore state threads timer topo vprotocol ";

const std::string_view kOpenMpiNames =
    "accelerator btl btl_base_include btl_base_exclude btl_base_verbose btl_openib_allow_ib btl_openib_cpc_include "
    "btl_openib_gid_index btl_openib_if_exclude btl_openib_if_include btl_openib_receive_queues "
    "btl_openib_rroce_enable btl_openib_want_cuda_gdr btl_openib_warn_no_device_params_found "
    "btl_smcuda_use_cuda_ipc btl_tcp_if_exclude btl_tcp_if_include btl_tcp_links btl_uct_memory_domains "
    "btl_vader_backing_directory btl_vader_segment_size btl_vader_single_copy_mechanism coll coll_hcoll_enable "
    "coll_tuned_use_dynamic_rules hwloc_base_binding_policy hwloc_base_report_bindings io mca_base_component_path "
    "mca_base_component_show_load_errors mca_base_env_list mca_base_param_files mca_base_verbose memory_linux_disable "
    "mpi_abort_delay mpi_cuda_support mpi_leave_pinned mpi_param_check mpi_preconnect_all mpi_show_mca_params "
    "mpi_warn_on_fork mpi_yield_when_idle mtl mtl_ofi_provider_exclude mtl_ofi_provider_include oob_tcp_if_exclude "
    "oob_tcp_if_include opal_common_ucx_devices opal_common_ucx_opal_mem_hooks opal_common_ucx_tls "
    "opal_cuda_support opal_warn_on_missing_libcuda orte_base_help_aggregate osc osc_ucx_devices osc_ucx_tls plm "
    "plm_base_verbose plm_rsh_agent pml pml_base_verbose pml_ob1_priority pml_ucx_devices pml_ucx_priority "
    "pml_ucx_tls pml_ucx_verbose pmix ras rmaps_base_mapping_policy rmaps_base_oversubscribe rmaps_base_ranking_policy "
    "shmem smsc topo ";

}  // namespace halyard::diagnose
