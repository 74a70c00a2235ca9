/* Packs and unpacks everything in every encoding, with strides, and prints each result, what the buffers say
 * of themselves and the bytes: the same lines over any implementation of PVM's library. Needs no daemon. */

#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { elements = 24 };

static void show_buffer(int id) {
  int bytes = -99, tag = -99, source = -99;
  const int result = pvm_bufinfo(id, &bytes, &tag, &source);
  printf("  bufinfo %d: %d bytes, tag %d, source %d\n", result, bytes, tag, source);
}

static void show_bytes(const char* what, const void* data, size_t size) {
  const unsigned char* bytes = data;
  printf("  %s:", what);
  for (size_t i = 0; i < size; ++i) printf("%s%02x", i % 4 == 0 ? " " : "", bytes[i]);
  printf("\n");
}

/* The bytes of a message as they are on the wire: raw ones as such, the others packed into a raw message. */
static void show_content(int id) {
  const int carrier = pvm_mkbuf(PvmDataRaw);
  const int before = pvm_setsbuf(carrier);
  printf("  pkmesgbody %d\n", pvm_pkmesgbody(id));
  show_buffer(carrier);
  pvm_setsbuf(before);
  pvm_freebuf(carrier);
}

#define ROUND_TRIP(name, type, value)                                                    \
  static void trip_##name(int encoding, int count, int stride) {                         \
    type out[elements * 2], in[elements * 2];                                            \
    for (int i = 0; i < elements * 2; ++i) out[i] = (type)(value);                       \
    memset(in, 0x5a, sizeof in);                                                         \
    printf("%s, encoding %d, %d elements, stride %d\n", #name, encoding, count, stride); \
    const int id = pvm_initsend(encoding);                                               \
    printf("  pack %d\n", pvm_pk##name(out, count, stride));                             \
    show_buffer(id);                                                                     \
    show_content(id);                                                                    \
    printf("  to receive %d\n", pvm_setrbuf(id) >= 0);                                   \
    printf("  unpack %d\n", pvm_upk##name(in, count, stride));                           \
    show_bytes("unpacked", in, sizeof in);                                               \
    printf("  unpack beyond the end %d\n", pvm_upk##name(in, 1, 1));                     \
    show_buffer(id);                                                                     \
    pvm_freebuf(id);                                                                     \
  }

ROUND_TRIP(byte, char, i * 7 + 3)
ROUND_TRIP(short, short, i * 1021 - 9000)
ROUND_TRIP(ushort, unsigned short, i * 1021)
ROUND_TRIP(int, int, i * 30000007 - 900000000)
ROUND_TRIP(uint, unsigned int, i * 100000007u)
ROUND_TRIP(long, long, (long)i * 40000003 - 900000000)
ROUND_TRIP(ulong, unsigned long, (unsigned long)i * 80000003u)
ROUND_TRIP(float, float, (float)i * 1.37f - 11.f)
ROUND_TRIP(double, double, (double)i * -1.37e100 + 3)
ROUND_TRIP(cplx, float, (float)i * 3.37f - 11.f)
ROUND_TRIP(dcplx, double, (double)i * 1.37e-100)

static void every_type(int encoding, int count, int stride) {
  trip_byte(encoding, count, stride);
  trip_short(encoding, count, stride);
  trip_ushort(encoding, count, stride);
  trip_int(encoding, count, stride);
  trip_uint(encoding, count, stride);
  trip_long(encoding, count, stride);
  trip_ulong(encoding, count, stride);
  trip_float(encoding, count, stride);
  trip_double(encoding, count, stride);
  trip_cplx(encoding, count, stride);
  trip_dcplx(encoding, count, stride);
}

static void strings(int encoding) {
  char text[64] = "untouched";
  printf("strings, encoding %d\n", encoding);
  const int id = pvm_initsend(encoding);
  printf("  pack %d\n", pvm_pkstr("a text of 21 letters"));
  show_buffer(id);
  printf("  pack empty %d\n", pvm_pkstr(""));
  show_buffer(id);
  pvm_setrbuf(id);
  printf("  unpack %d\n", pvm_upkstr(text));
  printf("  '%s'\n", text);
  printf("  unpack %d\n", pvm_upkstr(text));
  printf("  '%s'\n", text);
  printf("  unpack %d\n", pvm_upkstr(text));
  printf("  '%s'\n", text);
  pvm_freebuf(id);
}

static void wide_integers(void) {
  long values[] = {1L << 40, -(1L << 40), 0x7fffffffL, 0x80000000L, -0x80000000L, -0x80000001L, 0xffffffffL};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    for (int encoding = 0; encoding < 2; ++encoding) {
      long back = 77;
      unsigned long unsigned_back = 77;
      int id = pvm_initsend(encoding);
      printf("long %ld, encoding %d: pack %d", values[i], encoding, pvm_pklong(&values[i], 1, 1));
      pvm_setrbuf(id);
      printf(" unpack %d", pvm_upklong(&back, 1, 1));
      printf(" -> %ld\n", back);
      show_buffer(id);
      id = pvm_initsend(encoding);
      printf("unsigned long %lu, encoding %d: pack %d", values[i], encoding,
             pvm_pkulong((unsigned long*)&values[i], 1, 1));
      pvm_setrbuf(id);
      printf(" unpack %d", pvm_upkulong(&unsigned_back, 1, 1));
      printf(" -> %lu\n", unsigned_back);
      show_buffer(id);
      pvm_freebuf(id);
    }
  }
}

/* Elements of one type read as another; more read than there is; odd bytes in XDR. */
static void mixed(int encoding) {
  char bytes[16];
  int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  short shorts[8];
  double doubles[4];
  memset(bytes, 0x11, sizeof bytes);
  printf("mixed, encoding %d\n", encoding);
  const int id = pvm_initsend(encoding);
  printf("  pack %d", pvm_pkbyte("abcdefgh", 8, 1));
  printf(" %d", pvm_pkint(numbers, 3, encoding == PvmDataInPlace ? 1 : 2));
  printf(" %d\n", pvm_pkbyte("wxyz", 4, 1));
  show_buffer(id);
  pvm_setrbuf(id);
  printf("  bytes %d\n", pvm_upkbyte(bytes, 3, 1));
  show_bytes("bytes", bytes, sizeof bytes);
  memset(shorts, 0x22, sizeof shorts);
  printf("  shorts %d\n", pvm_upkshort(shorts, 2, 1));
  show_bytes("shorts", shorts, sizeof shorts);
  printf("  too many doubles %d\n", pvm_upkdouble(doubles, 4, 1));
  memset(bytes, 0x11, sizeof bytes);
  printf("  bytes %d\n", pvm_upkbyte(bytes, 1, 1));
  show_bytes("bytes", bytes, sizeof bytes);
  pvm_freebuf(id);
}

static void large(int encoding) {
  enum { many = 5000 };
  double* numbers = malloc(many * sizeof *numbers);
  double* back = calloc(many, sizeof *back);
  char* bytes = malloc(many + 3);
  char* bytes_back = calloc(many + 3, 1);
  for (int i = 0; i < many; ++i) numbers[i] = i / 3.0;
  for (int i = 0; i < many + 3; ++i) bytes[i] = (char)i;
  printf("large, encoding %d\n", encoding);
  const int id = pvm_initsend(encoding);
  printf("  pack %d", pvm_pkbyte(bytes, many + 3, 1));
  printf(" %d\n", pvm_pkdouble(numbers, many, 1));
  show_buffer(id);
  pvm_setrbuf(id);
  printf("  unpack %d", pvm_upkbyte(bytes_back, many + 3, 1));
  printf(" %d", pvm_upkdouble(back, many, 1));
  // Bit by bit. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  const int same_numbers = memcmp(numbers, back, many * sizeof *back) == 0;
  printf(": %s\n", memcmp(bytes, bytes_back, many + 3) == 0 && same_numbers ? "equal" : "different");
  pvm_freebuf(id);
  free(numbers), free(back), free(bytes), free(bytes_back);
}

static void in_place_reads_late(void) {
  int numbers[4] = {1, 2, 3, 4}, back[4] = {0, 0, 0, 0};
  const int id = pvm_initsend(PvmDataInPlace);
  pvm_pkint(numbers, 4, 1);
  numbers[2] = 33;
  pvm_setrbuf(id);
  printf("in place: unpack %d", pvm_upkint(back, 4, 1));
  printf(" -> %d %d %d %d\n", back[0], back[1], back[2], back[3]);
  pvm_freebuf(id);
}

static void formats(int encoding) {
  int numbers[6] = {1, -2, 3, -4, 5, -6}, number = 0, few[3] = {0, 0, 0}, n = 2;
  unsigned int positive = 0;
  short small = 0;
  unsigned short small_positive = 0;
  long wide = 0;
  unsigned long wide_positive = 0;
  float real = 0, pair[2] = {1.5f, -2.5f}, pair_back[2] = {0, 0};
  double precise = 0, two[2] = {3.5, -4.5}, two_back[2] = {0, 0};
  char letter = 0, letters[8] = "", text[32] = "";
  printf("formats, encoding %d\n", encoding);
  printf("  pack %d\n", pvm_packf("%+ %c %d %ud %hd %hud %ld %lud %f %lf %x %lx", encoding, 'q', -7, 8u, -9,
                                  10, -11L, 12ul, 13.25, -14.125, pair, two));
  show_buffer(pvm_getsbuf());
  printf("  pack arrays %d\n", pvm_packf("%3.2d %*.*d %4c", numbers, n, 3, numbers, "wxyz"));
  show_buffer(pvm_getsbuf());
  if (encoding != PvmDataInPlace) printf("  pack text %d\n", pvm_packf("%s", "some text"));
  show_buffer(pvm_getsbuf());
  printf("  pack nonsense %d\n", pvm_packf("%q", 1));
  const int id = pvm_getsbuf();
  pvm_setrbuf(id);
  printf("  unpack %d\n",
         pvm_unpackf("%c %d %ud %hd %hud %ld %lud %f %lf %x %lx", &letter, &number, &positive, &small,
                     &small_positive, &wide, &wide_positive, &real, &precise, pair_back, two_back));
  printf("  %d %d %u %d %u %ld %lu %g %g %g %g %g %g\n", letter, number, positive, small, small_positive,
         wide, wide_positive, real, precise, pair_back[0], pair_back[1], two_back[0], two_back[1]);
  printf("  unpack arrays %d\n", pvm_unpackf("%3d %*d %4c", few, n, numbers, letters));
  printf("  %d %d %d %d %d %d %.4s\n", few[0], few[1], few[2], numbers[0], numbers[1], numbers[2], letters);
  printf("  unpack text %d\n", pvm_unpackf("%s", text));
  printf("  '%s'\n", text);
  printf("  unpack beyond the end %d\n", pvm_unpackf("%d", &number));
  printf("  unpack nonsense %d\n", pvm_unpackf("%q", &number));
  pvm_freebuf(id);
}

static void messages_in_messages(void) {
  for (int outer = 0; outer < 3; ++outer)
    for (int inner = 0; inner < 2; ++inner) {
      int numbers[5] = {1, 2, 3, 4, 5}, back[5] = {0, 0, 0, 0, 0}, behind = 99;
      struct pvmminfo info;
      const int content = pvm_initsend(inner);
      pvm_pkint(numbers, 5, 1);
      memset(&info, 0, sizeof info);
      info.ctx = 3, info.tag = 4, info.wid = 5, info.src = 6, info.dst = 7;
      printf("message of encoding %d in one of %d: setminfo %d\n", inner, outer,
             pvm_setminfo(content, &info));
      const int envelope = pvm_mkbuf(outer);
      pvm_setsbuf(envelope);
      printf("  pkmesg %d", pvm_pkmesg(content));
      printf(" pkint %d\n", pvm_pkint(&behind, 1, 1));
      show_buffer(envelope);
      behind = 0;
      pvm_setrbuf(envelope);
      const int taken = pvm_upkmesg();
      printf("  upkmesg %d", taken > 0 ? 1 : taken);
      printf(", then %d", pvm_upkint(&behind, 1, 1));
      printf(" %d\n", behind);
      if (taken > 0) {
        show_buffer(taken);
        printf("  getminfo %d", pvm_getminfo(taken, &info));
        printf(": len %d ctx %d tag %d wid %d src %x dst %x\n", info.len, info.ctx, info.tag, info.wid,
               info.src, info.dst);
        pvm_setrbuf(taken);
        printf("  unpack %d", pvm_upkint(back, 5, 1));
        printf(" -> %d %d %d %d %d\n", back[0], back[1], back[2], back[3], back[4]);
        pvm_freebuf(taken);
      }
      pvm_freebuf(content);
      pvm_freebuf(envelope);
    }
}

static void long_messages_in_messages(void) {
  char* bytes = calloc(20000, 1);
  for (int size = 0; size<20000; size += size> 3900 && size < 4200 ? 4 : 100) {
    for (int encoding = 0; encoding < 2; ++encoding) {
      const int content = pvm_mkbuf(encoding), envelope = pvm_mkbuf(PvmDataRaw);
      pvm_setsbuf(content);
      pvm_pkbyte(bytes, size, 1);
      pvm_setsbuf(envelope);
      printf("message of %d bytes, encoding %d, in another: %d\n", size, encoding, pvm_pkmesg(content));
      show_buffer(envelope);
      pvm_freebuf(content);
      pvm_freebuf(envelope);
    }
  }
  free(bytes);
}

int main(void) {
  const int strides[] = {1, 2, 3};
  const int counts[] = {0, 1, 3, 7};
  pvm_setopt(PvmAutoErr, 0);
  for (int encoding = 0; encoding < 3; ++encoding) {
    for (size_t s = 0; s < 3; ++s)
      for (size_t c = 0; c < 4; ++c) every_type(encoding, counts[c], strides[s]);
    strings(encoding);
    mixed(encoding);
    large(encoding);
    formats(encoding);
  }
  wide_integers();
  in_place_reads_late();
  messages_in_messages();
  long_messages_in_messages();
  return 0;
}
