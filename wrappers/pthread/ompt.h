/* Whether the OpenMP runtime tells what it does: then its GOMP_* functions, which call the same, are left alone. */
#ifndef SKEL_OMPT_H
#define SKEL_OMPT_H

int skel_ompt_listens_to(const void* library);

#endif
