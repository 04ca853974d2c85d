#include "calls.c"
