/* A library whose call of getppid is replaced (business_cards_test.cpp). */
#include <unistd.h>

static int beside_the_table = 1;

long number_of_parent(void) { return (long)getppid(); }
int* neighbour_of_the_table(void) { return &beside_the_table; }
