/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 21.6 ms. */
#include "skel.h"

static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int sendbuf_1[] = {2, 3};
static const int array_1[] = {16, 8, 16, 24};
static const int array_5[] = {31, 13, 9, 11};
static const int array_9[] = {0, 5, 35, 41};
static const int array_13[] = {7, 17, 8, 9};
static const int array_17[] = {4, 11, 1, 52};
static const int array_21[] = {12, 11, 2, 30};
static const int array_25[] = {0, 25, 2, 44};
static const int array_29[] = {16, 18, 7, 32};
static const int array_33[] = {28, 9, 8, 37};
static const int array_37[] = {16, 29, 1, 33};
static const int array_41[] = {20, 9, 1, 13};
static const int array_45[] = {4, 18, 8, 20};
static const int array_49[] = {15, 3, 16, 27};
static const int array_53[] = {13, 3, 10, 18};
static const int array_57[] = {30, 8, 13, 25};
static const int array_61[] = {24, 8, 3, 50};
static const int array_65[] = {17, 1, 6, 38};
static const int array_69[] = {12, 4, 20, 23};
static const int array_73[] = {23, 15, 0, 33};
static const int array_77[] = {29, 2, 14, 36};
static const int array_83[] = {6, 8, 0, 18};
static const int array_87[] = {21, 10, 9, 16};
static const int array_91[] = {12, 2, 5, 5};
static const int array_95[] = {23, 0, 1, 50};
static const int array_99[] = {4, 3, 7, 8};
static const int array_103[] = {31, 13, 1, 23};
static const int array_109[] = {13, 16, 7, 9};
static const int array_113[] = {8, 0, 6, 39};
static const int array_117[] = {17, 18, 9, 13};
static const int array_121[] = {23, 9, 6, 14};
static const int array_125[] = {18, 16, 1, 16};
static const int array_129[] = {18, 23, 10, 18};
static const int array_133[] = {21, 13, 3, 16};
static const int array_137[] = {4, 16, 9, 13};
static const int array_141[] = {17, 22, 8, 16};
static const int array_145[] = {18, 2, 20, 23};
static const int array_149[] = {11, 0, 2, 10};
static const int array_153[] = {12, 8, 4, 30};
static const int array_159[] = {3, 4, 2, 13};
static const int array_163[] = {28, 26, 11, 15};
static const int array_167[] = {21, 0, 4, 17};
static const int array_171[] = {12, 3, 6, 10};
static const int array_175[] = {6, 6, 2, 4};
static const int array_179[] = {6, 6, 3, 4};
static const int array_183[] = {16, 1, 7, 10};
static const int array_187[] = {8, 5, 1, 9};
static const int array_191[] = {9, 4, 4, 16};
static const int array_195[] = {16, 10, 17, 18};
static const int array_199[] = {4, 3, 4, 24};
static const int array_203[] = {6, 10, 3, 12};
static const int array_207[] = {4, 0, 0, 21};
static const int array_211[] = {8, 0, 5, 10};
static const int array_215[] = {17, 0, 2, 16};
static const int array_219[] = {2, 1, 6, 9};
static const int array_223[] = {4, 8, 3, 33};
static const int array_227[] = {0, 0, 0, 7};
static const int array_233[] = {13, 22, 4, 57};
static const int array_237[] = {17, 5, 34, 41};
static const int array_241[] = {21, 29, 18, 43};
static const int array_245[] = {7, 11, 25, 29};
static const int array_249[] = {43, 51, 3, 51};
static const int array_253[] = {36, 29, 14, 20};
static const int array_257[] = {44, 3, 17, 27};
static const int array_261[] = {22, 27, 1, 45};
static const int array_265[] = {11, 23, 25, 42};
static const int array_269[] = {4, 21, 47, 51};
static const int array_273[] = {18, 14, 4, 57};
static const int array_277[] = {7, 47, 10, 45};
static const int array_281[] = {39, 17, 2, 54};
static const int array_285[] = {30, 21, 7, 44};
static const int array_289[] = {26, 39, 18, 23};
static const int array_293[] = {8, 40, 2, 46};
static const int array_297[] = {39, 16, 2, 59};
static const int array_301[] = {43, 31, 2, 38};
static const int array_305[] = {12, 28, 14, 60};
static const int64_t sendcounts_values_2[] = {1, 83, 87, 91, 95, 99, 103, 29, 109, 113, 117, 121, 125, 129, 133, 137,
    141, 145, 149, 153};
static const int64_t sendcounts_values_3[] = {1, 5, 159, 163, 167, 171, 175, 179, 183, 187, 191, 195, 199, 203, 207,
    211, 215, 219, 223, 227};
static const int64_t sendcounts_values_4[] = {1, 233, 237, 241, 245, 249, 253, 257, 261, 265, 269, 273, 277, 281, 285,
    289, 293, 297, 301, 305};
static const struct skel_sequence sendcounts_5[] = {{1, 4, 0, NULL}, {0, 0, 20, sendcounts_values_2},
    {0, 0, 20, sendcounts_values_3}, {0, 0, 20, sendcounts_values_4}};
static const int sendcounts_of_6[] = {0, 1, 2, 3};
static const int array_2[] = {0, 16, 24, 40};
static const int array_6[] = {0, 31, 44, 53};
static const int array_10[] = {0, 0, 5, 40};
static const int array_14[] = {0, 7, 24, 32};
static const int array_18[] = {0, 4, 15, 16};
static const int array_22[] = {0, 12, 23, 25};
static const int array_26[] = {0, 0, 25, 27};
static const int array_30[] = {0, 16, 34, 41};
static const int array_34[] = {0, 28, 37, 45};
static const int array_38[] = {0, 16, 45, 46};
static const int array_42[] = {0, 20, 29, 30};
static const int array_46[] = {0, 4, 22, 30};
static const int array_50[] = {0, 15, 18, 34};
static const int array_54[] = {0, 13, 16, 26};
static const int array_58[] = {0, 30, 38, 51};
static const int array_62[] = {0, 24, 32, 35};
static const int array_66[] = {0, 17, 18, 24};
static const int array_70[] = {0, 12, 16, 36};
static const int array_74[] = {0, 23, 38, 38};
static const int array_78[] = {0, 29, 31, 45};
static const int array_84[] = {0, 6, 14, 14};
static const int array_88[] = {0, 21, 31, 40};
static const int array_92[] = {0, 12, 14, 19};
static const int array_96[] = {0, 23, 23, 24};
static const int array_100[] = {0, 4, 7, 14};
static const int array_104[] = {0, 31, 44, 45};
static const int array_110[] = {0, 13, 29, 36};
static const int array_114[] = {0, 8, 8, 14};
static const int array_118[] = {0, 17, 35, 44};
static const int array_122[] = {0, 23, 32, 38};
static const int array_126[] = {0, 18, 34, 35};
static const int array_130[] = {0, 18, 41, 51};
static const int array_134[] = {0, 21, 34, 37};
static const int array_138[] = {0, 4, 20, 29};
static const int array_142[] = {0, 17, 39, 47};
static const int array_146[] = {0, 18, 20, 40};
static const int array_150[] = {0, 11, 11, 13};
static const int array_154[] = {0, 12, 20, 24};
static const int array_160[] = {0, 3, 7, 9};
static const int array_164[] = {0, 28, 54, 65};
static const int array_168[] = {0, 21, 21, 25};
static const int array_172[] = {0, 12, 15, 21};
static const int array_176[] = {0, 6, 12, 14};
static const int array_180[] = {0, 6, 12, 15};
static const int array_184[] = {0, 16, 17, 24};
static const int array_188[] = {0, 8, 13, 14};
static const int array_192[] = {0, 9, 13, 17};
static const int array_196[] = {0, 16, 26, 43};
static const int array_200[] = {0, 4, 7, 11};
static const int array_204[] = {0, 6, 16, 19};
static const int array_208[] = {0, 4, 4, 4};
static const int array_212[] = {0, 8, 8, 13};
static const int array_216[] = {0, 17, 17, 19};
static const int array_220[] = {0, 2, 3, 9};
static const int array_224[] = {0, 4, 12, 15};
static const int array_228[] = {0, 0, 0, 0};
static const int array_234[] = {0, 13, 35, 39};
static const int array_238[] = {0, 17, 22, 56};
static const int array_242[] = {0, 21, 50, 68};
static const int array_246[] = {0, 7, 18, 43};
static const int array_250[] = {0, 43, 94, 97};
static const int array_254[] = {0, 36, 65, 79};
static const int array_258[] = {0, 44, 47, 64};
static const int array_262[] = {0, 22, 49, 50};
static const int array_266[] = {0, 11, 34, 59};
static const int array_270[] = {0, 4, 25, 72};
static const int array_274[] = {0, 18, 32, 36};
static const int array_278[] = {0, 7, 54, 64};
static const int array_282[] = {0, 39, 56, 58};
static const int array_286[] = {0, 30, 51, 58};
static const int array_290[] = {0, 26, 65, 83};
static const int array_294[] = {0, 8, 48, 50};
static const int array_298[] = {0, 39, 55, 57};
static const int array_302[] = {0, 43, 74, 76};
static const int array_306[] = {0, 12, 40, 54};
static const int64_t sdispls_values_7[] = {2, 84, 88, 92, 96, 100, 104, 30, 110, 114, 118, 122, 126, 130, 134, 138, 142,
    146, 150, 154};
static const int64_t sdispls_values_8[] = {2, 6, 160, 164, 168, 172, 176, 180, 184, 188, 192, 196, 200, 204, 208, 212,
    216, 220, 224, 228};
static const int64_t sdispls_values_9[] = {2, 234, 238, 242, 246, 250, 254, 258, 262, 266, 270, 274, 278, 282, 286, 290,
    294, 298, 302, 306};
static const struct skel_sequence sdispls_10[] = {{2, 4, 0, NULL}, {0, 0, 20, sdispls_values_7},
    {0, 0, 20, sdispls_values_8}, {0, 0, 20, sdispls_values_9}};
static const int sdispls_of_11[] = {0, 1, 2, 3};
static const int recvbuf_12[] = {3, 2};
static const int array_3[] = {16, 16, 16, 16};
static const int array_7[] = {31, 6, 31, 13};
static const int array_11[] = {0, 21, 3, 17};
static const int array_15[] = {7, 12, 28, 21};
static const int array_19[] = {4, 23, 21, 7};
static const int array_23[] = {12, 4, 12, 43};
static const int array_27[] = {0, 31, 6, 36};
static const int array_31[] = {16, 16, 6, 44};
static const int array_35[] = {28, 13, 16, 22};
static const int array_39[] = {16, 8, 8, 11};
static const int array_43[] = {20, 17, 9, 4};
static const int array_47[] = {4, 23, 16, 18};
static const int array_51[] = {15, 18, 4, 7};
static const int array_55[] = {13, 18, 6, 39};
static const int array_59[] = {30, 21, 4, 30};
static const int array_63[] = {24, 4, 8, 26};
static const int array_67[] = {17, 17, 17, 8};
static const int array_71[] = {12, 18, 2, 39};
static const int array_75[] = {23, 11, 4, 43};
static const int array_79[] = {29, 12, 0, 12};
static const int array_81[] = {8, 8, 8, 8};
static const int array_85[] = {13, 8, 13, 22};
static const int array_89[] = {5, 10, 4, 5};
static const int array_93[] = {17, 2, 26, 29};
static const int array_97[] = {11, 0, 0, 11};
static const int array_101[] = {11, 3, 3, 51};
static const int array_105[] = {25, 13, 6, 29};
static const int array_107[] = {18, 18, 6, 3};
static const int array_111[] = {9, 16, 1, 27};
static const int array_115[] = {29, 0, 5, 23};
static const int array_119[] = {9, 18, 4, 21};
static const int array_123[] = {18, 9, 10, 14};
static const int array_127[] = {3, 16, 3, 47};
static const int array_131[] = {3, 23, 10, 17};
static const int array_135[] = {8, 13, 0, 21};
static const int array_139[] = {8, 16, 0, 39};
static const int array_143[] = {1, 22, 0, 40};
static const int array_147[] = {4, 2, 1, 16};
static const int array_151[] = {15, 0, 8, 31};
static const int array_155[] = {2, 8, 0, 28};
static const int array_157[] = {9, 0, 9, 4};
static const int array_161[] = {35, 9, 2, 34};
static const int array_165[] = {8, 5, 11, 18};
static const int array_169[] = {1, 1, 4, 25};
static const int array_173[] = {2, 7, 6, 3};
static const int array_177[] = {2, 1, 2, 14};
static const int array_181[] = {7, 7, 3, 17};
static const int array_185[] = {8, 7, 7, 1};
static const int array_189[] = {1, 6, 1, 25};
static const int array_193[] = {1, 9, 4, 47};
static const int array_197[] = {8, 6, 17, 4};
static const int array_201[] = {16, 1, 4, 10};
static const int array_205[] = {10, 10, 3, 2};
static const int array_209[] = {13, 3, 0, 7};
static const int array_213[] = {3, 9, 5, 18};
static const int array_217[] = {6, 8, 2, 2};
static const int array_221[] = {20, 20, 6, 2};
static const int array_225[] = {0, 2, 3, 2};
static const int array_229[] = {14, 4, 0, 14};
static const int array_231[] = {24, 24, 24, 24};
static const int array_235[] = {11, 18, 11, 57};
static const int array_239[] = {41, 16, 13, 41};
static const int array_243[] = {9, 5, 15, 43};
static const int array_247[] = {52, 50, 17, 29};
static const int array_251[] = {30, 8, 10, 51};
static const int array_255[] = {44, 23, 4, 20};
static const int array_259[] = {32, 32, 4, 27};
static const int array_263[] = {37, 9, 10, 45};
static const int array_267[] = {33, 39, 9, 42};
static const int array_271[] = {13, 13, 16, 51};
static const int array_275[] = {20, 14, 18, 57};
static const int array_279[] = {27, 16, 24, 45};
static const int array_283[] = {18, 18, 12, 54};
static const int array_287[] = {25, 16, 21, 44};
static const int array_291[] = {50, 13, 10, 23};
static const int array_295[] = {38, 16, 16, 46};
static const int array_299[] = {23, 23, 9, 59};
static const int array_303[] = {33, 10, 33, 38};
static const int array_307[] = {36, 30, 7, 60};
static const int64_t recvcounts_values_13[] = {81, 85, 89, 93, 97, 101, 105, 107, 111, 115, 119, 123, 127, 131, 135,
    139, 143, 147, 151, 155};
static const int64_t recvcounts_values_14[] = {3, 157, 161, 165, 169, 173, 177, 181, 185, 189, 193, 197, 201, 205, 209,
    213, 217, 221, 225, 229};
static const struct skel_sequence recvcounts_15[] = {{3, 4, 0, NULL}, {0, 0, 20, recvcounts_values_13},
    {0, 0, 20, recvcounts_values_14}, {231, 4, 0, NULL}};
static const int recvcounts_of_16[] = {0, 1, 2, 3};
static const int array_4[] = {0, 16, 32, 48};
static const int array_8[] = {0, 31, 37, 68};
static const int array_12[] = {0, 0, 21, 24};
static const int array_16[] = {0, 7, 19, 47};
static const int array_20[] = {0, 4, 27, 48};
static const int array_24[] = {0, 12, 16, 28};
static const int array_28[] = {0, 0, 31, 37};
static const int array_32[] = {0, 16, 32, 38};
static const int array_36[] = {0, 28, 41, 57};
static const int array_40[] = {0, 16, 24, 32};
static const int array_44[] = {0, 20, 37, 46};
static const int array_48[] = {0, 4, 27, 43};
static const int array_52[] = {0, 15, 33, 37};
static const int array_56[] = {0, 13, 31, 37};
static const int array_60[] = {0, 30, 51, 55};
static const int array_64[] = {0, 24, 28, 36};
static const int array_68[] = {0, 17, 34, 51};
static const int array_72[] = {0, 12, 30, 32};
static const int array_76[] = {0, 23, 34, 38};
static const int array_80[] = {0, 29, 41, 41};
static const int array_82[] = {0, 8, 16, 24};
static const int array_86[] = {0, 13, 21, 34};
static const int array_90[] = {0, 5, 15, 19};
static const int array_94[] = {0, 17, 19, 45};
static const int array_98[] = {0, 11, 11, 11};
static const int array_102[] = {0, 11, 14, 17};
static const int array_106[] = {0, 25, 38, 44};
static const int array_108[] = {0, 18, 36, 42};
static const int array_112[] = {0, 9, 25, 26};
static const int array_116[] = {0, 29, 29, 34};
static const int array_120[] = {0, 9, 27, 31};
static const int array_124[] = {0, 18, 27, 37};
static const int array_128[] = {0, 3, 19, 22};
static const int array_132[] = {0, 3, 26, 36};
static const int array_136[] = {0, 8, 21, 21};
static const int array_140[] = {0, 8, 24, 24};
static const int array_144[] = {0, 1, 23, 23};
static const int array_148[] = {0, 4, 6, 7};
static const int array_152[] = {0, 15, 15, 23};
static const int array_156[] = {0, 2, 10, 10};
static const int array_158[] = {0, 9, 9, 18};
static const int array_162[] = {0, 35, 44, 46};
static const int array_166[] = {0, 8, 13, 24};
static const int array_170[] = {0, 1, 2, 6};
static const int array_174[] = {0, 2, 9, 15};
static const int array_178[] = {0, 2, 3, 5};
static const int array_182[] = {0, 7, 14, 17};
static const int array_186[] = {0, 8, 15, 22};
static const int array_190[] = {0, 1, 7, 8};
static const int array_194[] = {0, 1, 10, 14};
static const int array_198[] = {0, 8, 14, 31};
static const int array_202[] = {0, 16, 17, 21};
static const int array_206[] = {0, 10, 20, 23};
static const int array_210[] = {0, 13, 16, 16};
static const int array_214[] = {0, 3, 12, 17};
static const int array_218[] = {0, 6, 14, 16};
static const int array_222[] = {0, 20, 40, 46};
static const int array_226[] = {0, 0, 2, 5};
static const int array_230[] = {0, 14, 18, 18};
static const int array_232[] = {0, 24, 48, 72};
static const int array_236[] = {0, 11, 29, 40};
static const int array_240[] = {0, 41, 57, 70};
static const int array_244[] = {0, 9, 14, 29};
static const int array_248[] = {0, 52, 102, 119};
static const int array_252[] = {0, 30, 38, 48};
static const int array_256[] = {0, 44, 67, 71};
static const int array_260[] = {0, 32, 64, 68};
static const int array_264[] = {0, 37, 46, 56};
static const int array_268[] = {0, 33, 72, 81};
static const int array_272[] = {0, 13, 26, 42};
static const int array_276[] = {0, 20, 34, 52};
static const int array_280[] = {0, 27, 43, 67};
static const int array_284[] = {0, 18, 36, 48};
static const int array_288[] = {0, 25, 41, 62};
static const int array_292[] = {0, 50, 63, 73};
static const int array_296[] = {0, 38, 54, 70};
static const int array_300[] = {0, 23, 46, 55};
static const int array_304[] = {0, 33, 43, 76};
static const int array_308[] = {0, 36, 66, 73};
static const int64_t rdispls_values_17[] = {82, 86, 90, 94, 98, 102, 106, 108, 112, 116, 120, 124, 128, 132, 136, 140,
    144, 148, 152, 156};
static const int64_t rdispls_values_18[] = {4, 158, 162, 166, 170, 174, 178, 182, 186, 190, 194, 198, 202, 206, 210,
    214, 218, 222, 226, 230};
static const struct skel_sequence rdispls_19[] = {{4, 4, 0, NULL}, {0, 0, 20, rdispls_values_17},
    {0, 0, 20, rdispls_values_18}, {232, 4, 0, NULL}};
static const int rdispls_of_20[] = {0, 1, 2, 3};
static const int* const array[] = {NULL, array_1, array_2, array_3, array_4, array_5, array_6, array_7, array_8,
    array_9, array_10, array_11, array_12, array_13, array_14, array_15, array_16, array_17, array_18, array_19,
    array_20, array_21, array_22, array_23, array_24, array_25, array_26, array_27, array_28, array_29, array_30,
    array_31, array_32, array_33, array_34, array_35, array_36, array_37, array_38, array_39, array_40, array_41,
    array_42, array_43, array_44, array_45, array_46, array_47, array_48, array_49, array_50, array_51, array_52,
    array_53, array_54, array_55, array_56, array_57, array_58, array_59, array_60, array_61, array_62, array_63,
    array_64, array_65, array_66, array_67, array_68, array_69, array_70, array_71, array_72, array_73, array_74,
    array_75, array_76, array_77, array_78, array_79, array_80, array_81, array_82, array_83, array_84, array_85,
    array_86, array_87, array_88, array_89, array_90, array_91, array_92, array_93, array_94, array_95, array_96,
    array_97, array_98, array_99, array_100, array_101, array_102, array_103, array_104, array_105, array_106,
    array_107, array_108, array_109, array_110, array_111, array_112, array_113, array_114, array_115, array_116,
    array_117, array_118, array_119, array_120, array_121, array_122, array_123, array_124, array_125, array_126,
    array_127, array_128, array_129, array_130, array_131, array_132, array_133, array_134, array_135, array_136,
    array_137, array_138, array_139, array_140, array_141, array_142, array_143, array_144, array_145, array_146,
    array_147, array_148, array_149, array_150, array_151, array_152, array_153, array_154, array_155, array_156,
    array_157, array_158, array_159, array_160, array_161, array_162, array_163, array_164, array_165, array_166,
    array_167, array_168, array_169, array_170, array_171, array_172, array_173, array_174, array_175, array_176,
    array_177, array_178, array_179, array_180, array_181, array_182, array_183, array_184, array_185, array_186,
    array_187, array_188, array_189, array_190, array_191, array_192, array_193, array_194, array_195, array_196,
    array_197, array_198, array_199, array_200, array_201, array_202, array_203, array_204, array_205, array_206,
    array_207, array_208, array_209, array_210, array_211, array_212, array_213, array_214, array_215, array_216,
    array_217, array_218, array_219, array_220, array_221, array_222, array_223, array_224, array_225, array_226,
    array_227, array_228, array_229, array_230, array_231, array_232, array_233, array_234, array_235, array_236,
    array_237, array_238, array_239, array_240, array_241, array_242, array_243, array_244, array_245, array_246,
    array_247, array_248, array_249, array_250, array_251, array_252, array_253, array_254, array_255, array_256,
    array_257, array_258, array_259, array_260, array_261, array_262, array_263, array_264, array_265, array_266,
    array_267, array_268, array_269, array_270, array_271, array_272, array_273, array_274, array_275, array_276,
    array_277, array_278, array_279, array_280, array_281, array_282, array_283, array_284, array_285, array_286,
    array_287, array_288, array_289, array_290, array_291, array_292, array_293, array_294, array_295, array_296,
    array_297, array_298, array_299, array_300, array_301, array_302, array_303, array_304, array_305, array_306,
    array_307, array_308};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 20, 0, 19, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  16, 16, 656, 680, 8, 8, 8, 8,
  16, 16, 592, 584, 8, 8, 8, 8,
  16, 16, 512, 640, 8, 8, 8, 8,
  16, 16, 1064, 1184, 8, 8, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 10, .phases = 3, .phase = phases, .buffers = 8,
    .buffer_rows = 4, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 405 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 20; i = skel_step(1, i, 20)) { /* 97.7 % of the traced time; 20 of 20 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    MPI_Alltoall(buf(0, 0), 1, MPI_INT, buf(1, 0), 1, MPI_INT, MPI_COMM_WORLD);
    compute(gap[4]); /* 100 us */
    MPI_Alltoallv(buf(sendbuf_1[i % 2], 0), array[skel_at(&sendcounts_5[sendcounts_of_6[rank]], i)],
        array[skel_at(&sdispls_10[sdispls_of_11[rank]], i)], MPI_DOUBLE, buf(recvbuf_12[i % 2], 0),
        array[skel_at(&recvcounts_15[recvcounts_of_16[rank]], i)], array[skel_at(&rdispls_19[rdispls_of_20[rank]], i)],
        MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[5]); /* 100 us */
  MPI_Allreduce(buf(4, 0), buf(5, 0), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute(gap[6]); /* 100 us */
  MPI_Allreduce(buf(6, 0), buf(7, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(gap[7]); /* 100 us */
}

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  prologue();
  loop_1();
  epilogue();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
