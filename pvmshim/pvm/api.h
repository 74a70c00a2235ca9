#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>

/// What programs see of PVM's libraries (pvm3.h), and beyond it what they import although no header declares
/// it: Debian's examples, libfpvm3.a and libgpvm3.a do.

#pragma GCC visibility push(default)
#include <pvm3.h>
#include <pvmtev.h>

extern "C" {
extern int pvm_errno;
extern int pvm_nerr;
extern const char* pvm_errlist[];
extern void* pvm_inprecv;
extern int pvm_useruid;
extern int pvmautoerr, pvmdebmask, pvmfrgsiz, pvmmyctx, pvmmydsig, pvmmyptid, pvmmytid, pvmmyupid;
extern int pvmnoreset, pvmnoresetindex, pvmnsibs, pvmrescode, pvmrouteopt, pvmschedtid, pvmshowtaskid;
extern int pvmtoplvl, pvmudpmtu;
extern int* pvmsibtids;
extern char* pvmmytaskname;
extern struct Pvmtracer pvmtrc, pvmctrc;
extern int gstid;
extern struct timeval* pvmgs_tmout;

int lpvmerr(const char* function, int code);
int pvmlogerror(const char* text);
int pvmlogperror(const char* text);
int pvmlogprintf(const char* format, ...);
int vpvmlogprintf(const char* format, va_list values);
void pvmbailout(int code);

int pvm_vpackf(const char* format, va_list values);
int pvm_vunpackf(const char* format, va_list values);
int pvmupkstralloc(char** text);

int pvmbeatask(void);
int pvmendtask(void);
int pvmsettaskname(const char* name);
int pvmreset(int task, int kill_tasks, char* name, int index);
int pvmgetclock(struct timeval* now);
int pvmsleep(int seconds);
char* pvmnametag(int tag, int* known);
void pvmdisplaymhfinfo(const char* who, const char* text, int task);
}
#pragma GCC visibility pop
