// Preloaded into a program over MPICH's ch4:ucx: writes down the length and the endpoint of every tagged send
// below MPI, where a collective's algorithm shows. See record.sh.
#define _GNU_SOURCE
#include "send_log.h"

#include <dlfcn.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

long logged_sends;
struct LoggedSend send_log[MOST_LOGGED_SENDS];

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void* buffer, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t* param) {
  static ucs_status_ptr_t (*real)(ucp_ep_h, const void*, size_t, ucp_tag_t, const ucp_request_param_t*);
  if (!real) real = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  long bytes = (long)count;
  if (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE)
    bytes = (param->datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG
                ? (long)(count * (param->datatype >> UCP_DATATYPE_SHIFT))
                : UNKNOWN_LENGTH;
  if (logged_sends < MOST_LOGGED_SENDS) send_log[logged_sends] = (struct LoggedSend){endpoint, bytes};
  ++logged_sends;
  return real(endpoint, buffer, count, tag, param);
}

// MPICH spins while it waits; with more ranks than cores that takes minutes.
unsigned ucp_worker_progress(ucp_worker_h worker) {
  static unsigned (*real)(ucp_worker_h);
  if (!real) real = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned progress = real(worker);
  if (progress == 0) usleep(50);
  return progress;
}
