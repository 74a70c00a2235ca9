#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_LOGGED_SENDS = 100000, UNKNOWN_LENGTH = -1 };
struct LoggedSend {
  void* endpoint;
  long bytes;
};
extern long logged_sends;
extern struct LoggedSend send_log[MOST_LOGGED_SENDS];

#ifdef __cplusplus
}
#endif
