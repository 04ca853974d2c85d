/* Off the hot path. */
#include "values.h"

const void *skel_unweighted, *skel_weights_empty;
const int skel_no_weights = -32766;

uint64_t skel_mix_texts(uint64_t hash, char* const* texts, int length) {
  hash = skel_mix(hash, (uint64_t)length, 0x74657874);
  for (int i = 0; i < length; i++) hash = skel_mix_values(NULL, hash, texts[i], skel_text_length(texts[i]), SKEL_TEXT);
  return hash;
}
