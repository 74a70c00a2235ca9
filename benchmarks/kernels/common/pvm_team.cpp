#include "benchmarks/kernels/common/pvm_team.h"

#include <pvm3.h>
#include <sys/time.h>

#include "benchmarks/kernels/common/kernel.h"
#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {

int pvm_checked(int code, const char* call) {
  if (code < 0) throw Refusal(text_of("%s failed with PVM's error %d", call, code));
  return code;
}

double PvmTeam::seconds() const {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  return static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_usec);
}

void PvmTeam::post(int to, int tag, Element element, const void* values, std::size_t count) {
  pvm_checked(pvm_initsend(encoding_), "pvm_initsend");
  const int n = static_cast<int>(count);
  // The library only reads what it packs, though its prototypes don't say so.
  void* const data = const_cast<void*>(values);
  switch (element) {
    case Element::int32:
      pvm_checked(pvm_pkint(static_cast<int*>(data), n, 1), "pvm_pkint");
      break;
    case Element::float32:
      pvm_checked(pvm_pkfloat(static_cast<float*>(data), n, 1), "pvm_pkfloat");
      break;
    case Element::float64:
      pvm_checked(pvm_pkdouble(static_cast<double*>(data), n, 1), "pvm_pkdouble");
      break;
  }
  pvm_checked(pvm_send(tasks_[static_cast<std::size_t>(to)], tag), "pvm_send");
}

void PvmTeam::take(int from, int tag, Element element, void* values, std::size_t count) {
  pvm_checked(pvm_recv(tasks_[static_cast<std::size_t>(from)], tag), "pvm_recv");
  const int n = static_cast<int>(count);
  switch (element) {
    case Element::int32:
      pvm_checked(pvm_upkint(static_cast<int*>(values), n, 1), "pvm_upkint");
      break;
    case Element::float32:
      pvm_checked(pvm_upkfloat(static_cast<float*>(values), n, 1), "pvm_upkfloat");
      break;
    case Element::float64:
      pvm_checked(pvm_upkdouble(static_cast<double*>(values), n, 1), "pvm_upkdouble");
      break;
  }
}

}  // namespace morgana::kernels
