#ifndef MORGANA_AM2_H
#define MORGANA_AM2_H

/* Active Messages II over MPI: libmorgana-am.so, for programs in C and C++.
 *
 * Source of the interface: A. Mainwaring, D. Culler, Active Messages: Organization and Applications
 * Programming Interface, 1995. That a portable library can put it over MPI is shown by D. Bonachea's AMMPI. A
 * program is built with `mpicc.mpich program.c -lmorgana-am`; it runs natively under mpiexec, and under
 * `morgana run` like any other MPI program, where a platform like myrinet-am2 gives its messages their times.
 *
 * Several threads of a process may call at once. Calls return AM_OK or what is wrong with them; what only the
 * other end can see comes back to the sender's error handler. With MORGANA_VERBOSE=1 in the environment both
 * are said in a sentence on stderr, too. Sizes are in bytes. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  AM_OK = 0,
  AM_ERR_NOT_INIT, /* before AM_Init, or after AM_Terminate */
  AM_ERR_BAD_ARG,  /* out of range, too long, of another bundle, or not allowed where it is called */
  AM_ERR_RESOURCE, /* no room in a table, or a reply where there is nothing to reply to (any more) */
  AM_ERR_NOT_SENT, /* MPI has refused the message */
  AM_ERR_IN_USE    /* a handler, a translation or an endpoint's bundle that is in use */
};

/* What the error handler is told, under the published names and AMMPI's numbers. */
enum {
  EBADARGS = 1, /* (calls tell of these two themselves: AM_ERR_BAD_ARG) */
  EBADENTRY,    /* */
  EBADTAG,      /* the destination's tag is not the one that the translation has */
  EBADHANDLER,  /* the destination has no such handler */
  EBADSEGOFF,   /* the bulk message begins outside of the destination's segment */
  EBADLENGTH,   /* it goes beyond that segment's end */
  EBADENDPOINT, /* there is no such endpoint (any more) */
  ECONGESTION,  /* (never: what finds a queue full is sent again) */
  EUNREACHABLE  /* the interface has sent it 255 times without an answer */
};

/* What was returned, for the error handler. */
typedef enum {
  AM_REQUEST_M,
  AM_REQUEST_IM,
  AM_REQUEST_XFER_M,
  AM_REPLY_M,
  AM_REPLY_IM,
  AM_REPLY_XFER_M
} op_t;

/* A bundle's kind. In calls for an AM_PAR one a thread waits for MPI to have taken its message while others
 * call. Where all threads of two processes wait so for each other none of them receives: such messages are to
 * be eager. In calls for an AM_SEQ one a thread takes in what comes meanwhile. AM_AllocateBundle gives AM_PAR
 * ones where MPI gives MPI_THREAD_MULTIPLE, else AM_ERR_RESOURCE. */
enum { AM_SEQ, AM_PAR };
enum { AM_NOEVENTS, AM_NOTEMPTY }; /* event masks */

enum {
  AM_MAX_SHORT = 8,           /* words of any message */
  AM_MAX_MEDIUM = 8192,       /* bytes of a medium message */
  AM_CREDITS = 4,             /* an endpoint's requests without a reply, to all others */
  AM_MAX_HANDLERS = 256,      /* indices of handlers; 0 is the error handler (am_error_fn) */
  AM_MAX_TRANSLATIONS = 1024, /* indices of an endpoint's translation table */
  AM_MAX_LONG = 1 << 30,      /* bytes of a bulk message */
  AM_MAX_ENDPOINTS = 255      /* of a process, over its life */
};

typedef struct am_bundle* eb_t;
typedef struct am_endpoint* ep_t;
typedef struct {
  int32_t rank;
  int32_t number; /* of the rank's endpoints, in the order of their allocation, from 0 */
} en_t;
typedef uint64_t tag_t;
typedef int handler_t;

#define AM_NONE ((tag_t)0) /* a tag that lets nobody in */
#define AM_ALL (~(tag_t)0) /* a tag that lets everybody in */

/* Handlers get the message's words as arguments of type int, behind these:
 *   short:   void handler(void* token, int...)
 *   medium:  void handler(void* token, void* data, int bytes, int...)     data are valid until it returns
 *   bulk:    the same; data lie in the endpoint's segment
 * They run within AM_Poll, or within a request that waits for a credit. A request's handler may reply once,
 * and a handler may do nothing else that sends or polls: AM_ERR_BAD_ARG. */
typedef void (*am_handler_fn)();
/* Handler 0, the error handler, which runs when a message comes back. By default it says so on stderr and
 * ends the program. The published interface leaves open what an argument block holds; here it is an
 * am_argblock, valid until the handler returns. */
typedef void (*am_error_fn)(int status, op_t opcode, void* argblock);
typedef struct {
  en_t to;           /* where the message was to go */
  handler_t handler; /* which was to run there */
  const int* words;  /* its arguments, `count` of them */
  int count;
  const void* data; /* of a medium or bulk message that nobody has received (EUNREACHABLE); else null */
  int bytes;
} am_argblock;

/* Begin and end: all processes together. AM_Init initialises MPI if the program has not, and AM_Terminate
 * then finalises it; messages that nobody has polled for by then are lost. */
int AM_Init(void);
int AM_Terminate(void);
/* Who else is there. Not published: the spawner's part. */
int AM_Rank(void);
int AM_Ranks(void);
/* The name of the first endpoint that the process `rank` allocates. */
int AM_Name(int rank, en_t* name);

int AM_AllocateBundle(int type, eb_t* bundle);
/* With its endpoints. */
int AM_FreeBundle(eb_t bundle);
int AM_AllocateEndpoint(eb_t bundle, ep_t* endpoint, en_t* name);
int AM_FreeEndpoint(ep_t endpoint);
int AM_MoveEndpoint(ep_t endpoint, eb_t from, eb_t to);
/* Checks whether the library can do it: `outstanding` of its requests at once, at most AM_CREDITS. */
int AM_SetExpectedResources(ep_t endpoint, int endpoints, int outstanding);

/* A new endpoint's tag is AM_NONE. */
int AM_SetTag(ep_t endpoint, tag_t tag);
int AM_GetTag(ep_t endpoint, tag_t* tag);
/* The memory that peers' bulk messages go into. */
int AM_SetSeg(ep_t endpoint, void* address, uintptr_t length);
int AM_GetSeg(ep_t endpoint, void** address, uintptr_t* length);

/* The translation table: an index gets a name, and the tag that its owner believes the endpoint has. */
int AM_Map(ep_t endpoint, int index, en_t name, tag_t tag);
int AM_MapAny(ep_t endpoint, int* index, en_t name, tag_t tag);
int AM_UnMap(ep_t endpoint, int index);
int AM_GetTranslationName(ep_t endpoint, int index, en_t* name);
int AM_GetTranslationTag(ep_t endpoint, int index, tag_t* tag);
/* AM_OK: it is in use. */
int AM_GetTranslationInuse(ep_t endpoint, int index);

/* Index 0 takes an error handler, cast to am_handler_fn, whose place may be taken again. */
int AM_SetHandler(ep_t endpoint, handler_t index, am_handler_fn function);
int AM_SetHandlerAny(ep_t endpoint, handler_t* index, am_handler_fn function);

int AM_MaxShort(void);
int AM_MaxMedium(void);
int AM_MaxLong(void);

/* Handles at most one message for the bundle's endpoints. */
int AM_Poll(eb_t bundle);
int AM_SetEventMask(eb_t bundle, int mask);
int AM_GetEventMask(eb_t bundle, int* mask);
/* The calling thread sleeps until there is a message for the bundle, whose mask is AM_NOTEMPTY. */
int AM_WaitSema(eb_t bundle);

/* Of what a handler handles. */
int AM_GetSourceEndpoint(void* token, en_t* source);
int AM_GetDestEndpoint(void* token, ep_t* endpoint);

/* Requests to what stands at an index, and replies: with 0 to 8 words. A request without a credit handles
 * what comes until it has one. */
#define AM_WORDS_0
#define AM_WORDS_1 , int
#define AM_WORDS_2 AM_WORDS_1, int
#define AM_WORDS_3 AM_WORDS_2, int
#define AM_WORDS_4 AM_WORDS_3, int
#define AM_WORDS_5 AM_WORDS_4, int
#define AM_WORDS_6 AM_WORDS_5, int
#define AM_WORDS_7 AM_WORDS_6, int
#define AM_WORDS_8 AM_WORDS_7, int
#define AM_CALLS(M)                                                                                    \
  int AM_Request##M(ep_t endpoint, int index, handler_t handler AM_WORDS_##M);                         \
  int AM_RequestI##M(ep_t endpoint, int index, handler_t handler, void* data, int bytes AM_WORDS_##M); \
  int AM_RequestXfer##M(ep_t endpoint, int index, uintptr_t offset, handler_t handler, void* data,     \
                        int bytes AM_WORDS_##M);                                                       \
  int AM_Reply##M(void* token, handler_t handler AM_WORDS_##M);                                        \
  int AM_ReplyI##M(void* token, handler_t handler, void* data, int bytes AM_WORDS_##M);                \
  int AM_ReplyXfer##M(void* token, uintptr_t offset, handler_t handler, void* data, int bytes AM_WORDS_##M);
AM_CALLS(0)
AM_CALLS(1)
AM_CALLS(2)
AM_CALLS(3)
AM_CALLS(4)
AM_CALLS(5)
AM_CALLS(6)
AM_CALLS(7)
AM_CALLS(8)
#undef AM_CALLS
#undef AM_WORDS_0
#undef AM_WORDS_1
#undef AM_WORDS_2
#undef AM_WORDS_3
#undef AM_WORDS_4
#undef AM_WORDS_5
#undef AM_WORDS_6
#undef AM_WORDS_7
#undef AM_WORDS_8

#ifdef __cplusplus
}
#endif

#endif
