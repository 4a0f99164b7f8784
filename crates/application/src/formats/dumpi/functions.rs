//! The calls that DUMPI records, by their numbers, and what stands in the file of each.
//!
//! | letter | stands for |
//! |---|---|
//! | `w`, `h`, `b` | a value of 32, 16 or 8 bits |
//! | `W`, `H`, `B` | a number of 32 bits, and so many of these values |
//! | `C` | a number of 32 bits, and so many characters |
//! | `M`, `V` | a number of 32 bits, and so many `W` or `C` |
//! | `S` | statuses, where they are recorded |
//! | `[n` .. `]` | what is there only if value 0 equals value n |
//!
//! Source: `funclabels.h` and `dumpiio.c` of sst-dumpi.

/// A call.
#[derive(Debug)]
pub(super) struct Function {
    /// Without `MPI_`.
    pub(super) name: &'static str,
    /// `None` of those that are not read: one-sided, dynamic processes, files.
    pub(super) arguments: Option<&'static str>,
}

/// The number that ends a stream of calls.
pub(super) const END: u16 = 293;

/// The numbers that say that a function of the program itself begins or ends.
pub(super) const ENTER_AND_EXIT: [u16; 2] = [291, 292];
/// Its address.
pub(super) const FUNCTION: Function = read("function", "ww");

const fn read(name: &'static str, arguments: &'static str) -> Function {
    let arguments = Some(arguments);
    Function { name, arguments }
}

const fn unread(name: &'static str) -> Function {
    let arguments = None;
    Function { name, arguments }
}

/// Those whose names are known. What follows them are files.
#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    read("Send", "whwwh"), read("Recv", "whwwhS"), read("Get_count", "Shw"), read("Bsend", "whwwh"),
    read("Ssend", "whwwh"), read("Rsend", "whwwh"), read("Buffer_attach", "w"), read("Buffer_detach", "w"),
    read("Isend", "whwwhw"), read("Ibsend", "whwwhw"), read("Issend", "whwwhw"), read("Irsend", "whwwhw"),
    read("Irecv", "whwwhw"), read("Wait", "wS"), read("Test", "wwS"), read("Request_free", "w"),
    read("Waitany", "wWwS"), read("Testany", "wWwwS"), read("Waitall", "wWS"), read("Testall", "wWwS"),
    read("Waitsome", "wWwWS"), read("Testsome", "wWwWS"), read("Iprobe", "wwhwS"), read("Probe", "wwhS"),
    read("Cancel", "w"), read("Test_cancelled", "Sw"), read("Send_init", "whwwhw"), read("Bsend_init", "whwwhw"),
    read("Ssend_init", "whwwhw"), read("Rsend_init", "whwwhw"), read("Recv_init", "whwwhw"), read("Start", "w"),
    read("Startall", "wW"), read("Sendrecv", "whwwwhwwhS"), read("Sendrecv_replace", "whwwwwhS"),
    read("Type_contiguous", "whh"), read("Type_vector", "wwwhh"), read("Type_hvector", "wwwhh"),
    read("Type_indexed", "wWWhh"), read("Type_hindexed", "wWWhh"), read("Type_struct", "wWWHh"), read("Address", "w"),
    read("Type_extent", "hw"), read("Type_size", "hw"), read("Type_lb", "hw"), read("Type_ub", "hw"),
    read("Type_commit", "h"), read("Type_free", "h"), read("Get_elements", "Shw"), read("Pack", "whwwwh"),
    read("Unpack", "wwwwhh"), read("Pack_size", "whhw"), read("Barrier", "h"), read("Bcast", "whwh"),
    read("Gather", "wwhwh[3wh]"), read("Gatherv", "wwwhwh[4WW]h"), read("Scatter", "wwhwh[3wh]"),
    read("Scatterv", "wwhwhwh[5WW]"), read("Allgather", "whwhh"), read("Allgatherv", "wwhWWhh"),
    read("Alltoall", "whwhh"), read("Alltoallv", "wWWhWWhh"), read("Reduce", "whbwh"), read("Op_create", "wb"),
    read("Op_free", "b"), read("Allreduce", "whbh"), read("Reduce_scatter", "wWhbh"), read("Scan", "whbh"),
    read("Group_size", "hw"), read("Group_rank", "hw"), read("Group_translate_ranks", "hwWhW"),
    read("Group_compare", "hhb"), read("Comm_group", "hh"), read("Group_union", "hhh"),
    read("Group_intersection", "hhh"), read("Group_difference", "hhh"), read("Group_incl", "hwWh"),
    read("Group_excl", "hwWh"), read("Group_range_incl", "hwMh"), read("Group_range_excl", "hwMh"),
    read("Group_free", "h"), read("Comm_size", "hw"), read("Comm_rank", "hw"), read("Comm_compare", "hhb"),
    read("Comm_dup", "hh"), read("Comm_create", "hhh"), read("Comm_split", "hwwh"), read("Comm_free", "h"),
    read("Comm_test_inter", "hw"), read("Comm_remote_size", "hw"), read("Comm_remote_group", "hh"),
    read("Intercomm_create", "hwhwwh"), read("Intercomm_merge", "hwh"), read("Keyval_create", "h"),
    read("Keyval_free", "h"), read("Attr_put", "hw"), read("Attr_get", "hww"), read("Attr_delete", "hw"),
    read("Topo_test", "hb"), read("Cart_create", "hwWWwh"), read("Dims_create", "wwWW"),
    read("Graph_create", "whwWWwh"), read("Graphdims_get", "hww"), read("Graph_get", "wwhwwWW"),
    read("Cartdim_get", "hw"), read("Cart_get", "whwWWW"), read("Cart_rank", "whWw"), read("Cart_coords", "whwwW"),
    read("Graph_neighbors_count", "hww"), read("Graph_neighbors", "whwwW"), read("Cart_shift", "hwwww"),
    read("Cart_sub", "whWh"), read("Cart_map", "hwWWw"), read("Graph_map", "whwWWw"), read("Get_processor_name", "Cw"),
    read("Get_version", "ww"), read("Errhandler_create", "h"), read("Errhandler_set", "hh"),
    read("Errhandler_get", "hh"), read("Errhandler_free", "h"), read("Error_string", "wCw"), read("Error_class", "ww"),
    read("Wtime", ""), read("Wtick", ""), read("Init", "V"), read("Finalize", ""), read("Initialized", "w"),
    read("Abort", "hw"), unread("Pcontrol"), unread("Close_port"), unread("Comm_accept"), unread("Comm_connect"),
    read("Comm_disconnect", "h"), read("Comm_get_parent", "h"), unread("Comm_join"), unread("Comm_spawn"),
    unread("Comm_spawn_multiple"), unread("Lookup_name"), unread("Open_port"), unread("Publish_name"),
    unread("Unpublish_name"), unread("Accumulate"), unread("Get"), unread("Put"), unread("Win_complete"),
    unread("Win_create"), unread("Win_fence"), unread("Win_free"), unread("Win_get_group"), unread("Win_lock"),
    unread("Win_post"), unread("Win_start"), unread("Win_test"), unread("Win_unlock"), unread("Win_wait"),
    read("Alltoallw", "wWWHWWHh"), read("Exscan", "whbh"), read("Add_error_class", "w"), read("Add_error_code", "ww"),
    read("Add_error_string", "wC"), read("Comm_call_errhandler", "hw"), read("Comm_create_keyval", "h"),
    read("Comm_delete_attr", "hh"), read("Comm_free_keyval", "h"), read("Comm_get_attr", "hhw"),
    read("Comm_get_name", "hCw"), read("Comm_set_attr", "hh"), read("Comm_set_name", "hC"),
    read("File_call_errhandler", "hw"), unread("Grequest_complete"), unread("Grequest_start"),
    read("Init_thread", "Vbb"), read("Is_thread_main", "w"), read("Query_thread", "b"),
    read("Status_set_cancelled", "Sw"), read("Status_set_elements", "Shw"), read("Type_create_keyval", "h"),
    read("Type_delete_attr", "hh"), read("Type_dup", "hh"), read("Type_free_keyval", "h"), read("Type_get_attr", "hhw"),
    read("Type_get_contents", "wwwhwwwWWH"), read("Type_get_envelope", "hwwwb"), read("Type_get_name", "hCw"),
    read("Type_set_attr", "hh"), read("Type_set_name", "hC"), read("Type_match_size", "bwh"),
    unread("Win_call_errhandler"), unread("Win_create_keyval"), unread("Win_delete_attr"), unread("Win_free_keyval"),
    unread("Win_get_attr"), unread("Win_get_name"), unread("Win_set_attr"), unread("Win_set_name"),
    read("Alloc_mem", "wh"), read("Comm_create_errhandler", "h"), read("Comm_get_errhandler", "hh"),
    read("Comm_set_errhandler", "hh"), read("File_create_errhandler", "h"), read("File_get_errhandler", "hh"),
    read("File_set_errhandler", "hh"), read("Finalized", "w"), read("Free_mem", ""), read("Get_address", "w"),
    read("Info_create", "h"), read("Info_delete", "hC"), read("Info_dup", "hh"), read("Info_free", "h"),
    read("Info_get", "hCwCw"), read("Info_get_nkeys", "hw"), read("Info_get_nthkey", "hwC"),
    read("Info_get_valuelen", "hCww"), read("Info_set", "hCC"), read("Pack_external", "Cwhwww"),
    read("Pack_external_size", "Cwhw"), read("Request_get_status", "wwS"), read("Type_create_darray", "wwwWBWWbhh"),
    read("Type_create_hindexed", "wWWhh"), read("Type_create_hvector", "wwwhh"),
    read("Type_create_indexed_block", "wwWhh"), read("Type_create_resized", "hwwh"),
    read("Type_create_struct", "wWWHh"), read("Type_create_subarray", "wWWWbhh"), read("Type_get_extent", "hww"),
    read("Type_get_true_extent", "hww"), read("Unpack_external", "Cwwwwh"),
];
