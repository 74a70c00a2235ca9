/* Has a function of a message-passing library inside, as a program has that is linked to the library's archive:
   INSIDE is its name. */
int INSIDE(void) {
  return 0;
}

int main(void) {
  return INSIDE();
}
