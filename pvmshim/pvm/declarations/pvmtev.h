#ifndef MORGANA_PVMTEV_H
#define MORGANA_PVMTEV_H

/* PVM's tracing, as far as a task's options need it: what pvmtev.h declares. Used where PVM is not installed.
 */

#define TEV_MASK_LENGTH 36

typedef char Pvmtmask[TEV_MASK_LENGTH];

struct Pvmtracer {
  int trctid;
  int trcctx;
  int trctag;
  int outtid;
  int outctx;
  int outtag;
  int trcbuf;
  int trcopt;
  Pvmtmask tmask;
};

#ifdef __cplusplus
extern "C" {
#endif
int pvm_gettmask(int, Pvmtmask);
int pvm_settmask(int, Pvmtmask);
#ifdef __cplusplus
}
#endif

#endif
