/* Tests every function of hashmill.h, with valid and with invalid arguments. Plain C, so that valgrind and the
 * sanitizers see nothing else. Prints a line for each failed check, and `test result:` at the end. */

#define _POSIX_C_SOURCE 200809L

#include "hashmill.h"
#include "hashmill.h" /* twice, as by way of other headers */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;
static const char *current;
static int current_ok;

#define CHECK(what)                                                                          \
    do {                                                                                     \
        if (!(what)) {                                                                       \
            printf("%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, current, #what, hm_error_message()); \
            current_ok = 0;                                                                  \
        }                                                                                    \
    } while (0)

static void test(const char *name, void (*run)(void)) {
    current = name;
    current_ok = 1;
    run();
    if (current_ok)
        passed++;
    else
        failed++;
}

/* Returns whether these bytes are those of the text. */
static int is_hex(const void *bytes, size_t len, const char *hex) {
    char text[2 * 256 + 1];
    if (len > 256 || hm_to_hex(bytes, len, text) != HM_OK) return 0;
    return strcmp(text, hex) == 0;
}

/* Returns whether the last error's message contains this text and is a single line. */
static int said(const char *part) {
    const char *message = hm_error_message();
    return strstr(message, part) != NULL && strchr(message, '\n') == NULL;
}

static const char ABC_SHA256[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void names(void) {
    hm_algorithm a, b;
    char text[64];
    CHECK(hm_algorithm_parse("SHA-256", &a) == HM_OK);
    CHECK(hm_algorithm_equal(&a, &HM_SHA256));
    CHECK(hm_algorithm_name(&a, text, sizeof text) == 6 && strcmp(text, "sha256") == 0);
    CHECK(hm_algorithm_name(&a, NULL, 0) == 6);
    CHECK(hm_algorithm_name(&a, text, 4) == 6 && strcmp(text, "sha") == 0);
    CHECK(hm_algorithm_parse("shake128:64", &a) == HM_OK && hm_algorithm_digest_len(&a) == 64);
    CHECK(hm_algorithm_with_digest_len(&HM_SHAKE128, 64, &b) == HM_OK && hm_algorithm_equal(&a, &b));
    CHECK(hm_algorithm_parse("xxh64:seed=7", &a) == HM_OK);
    CHECK(hm_algorithm_with_seed(&HM_XXH64, 7, &b) == HM_OK && hm_algorithm_equal(&a, &b));
    CHECK(!hm_algorithm_equal(&a, &HM_XXH64));
    /* The name contains all parameters. */
    CHECK(hm_algorithm_name(&b, text, sizeof text) < sizeof text && hm_algorithm_parse(text, &a) == HM_OK);
    CHECK(hm_algorithm_equal(&a, &b));

    CHECK(hm_algorithm_parse("sha265", &a) == HM_UNKNOWN_ALGORITHM && said("sha256"));
    CHECK(hm_algorithm_parse("skein512-7", &a) == HM_IMPOSSIBLE_NAME && said("skein512-8"));
    CHECK(hm_algorithm_parse("crc16-ccitt", &a) == HM_AMBIGUOUS_NAME);
    CHECK(hm_algorithm_parse("md5:8", &a) == HM_BAD_PARAMETER);
    CHECK(hm_algorithm_parse("", &a) == HM_UNKNOWN_ALGORITHM);
    CHECK(hm_algorithm_parse("\xff\xfe", &a) == HM_UNKNOWN_ALGORITHM);
    CHECK(hm_algorithm_parse(NULL, &a) == HM_BAD_ARGUMENT);
    CHECK(hm_algorithm_parse("md5", NULL) == HM_BAD_ARGUMENT);
    CHECK(hm_algorithm_with_digest_len(&HM_MD5, 8, &a) == HM_BAD_PARAMETER);
    CHECK(hm_algorithm_with_seed(&HM_MD5, 8, &a) == HM_BAD_PARAMETER);
    CHECK(strcmp(hm_error_name(HM_AMBIGUOUS_NAME), "HM_AMBIGUOUS_NAME") == 0 && strcmp(hm_error_name(99), "HM_?") == 0);
    CHECK(strcmp(hm_version(), HM_VERSION) == 0);
}

static void never_set(void) {
    hm_algorithm zeros, noise;
    unsigned char out[64];
    char text[8];
    memset(&zeros, 0, sizeof zeros);
    memset(&noise, 0xa5, sizeof noise);
    const hm_algorithm *bad[] = {NULL, &zeros, &noise};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const hm_algorithm *a = bad[i];
        hm_hasher *h = NULL;
        CHECK(hm_digest(a, "abc", 3, out, 32) == HM_BAD_ARGUMENT);
        CHECK(hm_hasher_new(a, NULL, &h) == HM_BAD_ARGUMENT && h == NULL);
        CHECK(hm_algorithm_digest_len(a) == 0 && hm_algorithm_block_len(a) == 0 && hm_algorithm_name(a, text, sizeof text) == 0);
        CHECK(hm_algorithm_security(a) == HM_SECURITY_UNKNOWN && !hm_algorithm_equal(a, a) && hm_kernel_count(a) == 0);
        CHECK(hm_digest_many(a, NULL, 0, HM_RAW, NULL, 0) == HM_BAD_ARGUMENT);
    }
}

static void all_algorithms(void) {
    size_t n = hm_algorithm_count();
    CHECK(n > 200);
    for (size_t i = 0; i < n; i++) {
        hm_algorithm a, b;
        char name[64], text[512], alias[128];
        CHECK(hm_algorithm_at(i, &a) == HM_OK);
        CHECK(hm_algorithm_name(&a, name, sizeof name) < sizeof name);
        CHECK(hm_algorithm_parse(name, &b) == HM_OK && hm_algorithm_equal(&a, &b));
        for (size_t k = 0; hm_algorithm_alias(&a, k, alias, sizeof alias) > 0; k++)
            CHECK(hm_algorithm_parse(alias, &b) == HM_OK && hm_algorithm_equal(&a, &b));
        size_t len = hm_algorithm_digest_len(&a);
        CHECK(len >= hm_algorithm_min_digest_len(&a) && len <= hm_algorithm_max_digest_len(&a) && len <= 256);
        CHECK(hm_algorithm_block_len(&a) >= 1 && hm_algorithm_year(&a) > 1950);
        CHECK(hm_algorithm_family(&a, text, sizeof text) > 0 && hm_algorithm_specification(&a, text, sizeof text) > 0);
        CHECK(hm_algorithm_security_reason(&a, text, sizeof text) > 0);
        CHECK(hm_algorithm_security(&a) != HM_SECURITY_UNKNOWN);
        CHECK(hm_algorithm_collision_bits(&a) <= 8 * len);
        /* In pieces, on every kernel, and many at once: all give the same digest. */
        unsigned char message[1500], whole[256], other[256], many[3 * 256];
        for (size_t k = 0; k < sizeof message; k++) message[k] = (unsigned char)(k % 251);
        CHECK(hm_digest(&a, message, sizeof message, whole, len) == HM_OK);
        hm_hasher h;
        CHECK(hm_hasher_init(&h, &a, NULL) == HM_OK);
        for (size_t k = 0; k < sizeof message; k += 100) CHECK(hm_hasher_update(&h, message + k, 100) == HM_OK);
        CHECK(hm_hasher_final(&h, other, len) == HM_OK && hm_equal(whole, len, other, len));
        size_t kernels = hm_kernel_count(&a);
        CHECK(kernels > 0);
        hm_bytes three[3] = {{message, sizeof message}, {message, 7}, {message, sizeof message}};
        for (size_t k = 0; k < kernels; k++) {
            hm_kernel kernel;
            CHECK(hm_kernel_at(&a, k, &kernel) == HM_OK);
            hm_error e = hm_digest_on(&a, kernel.name, message, sizeof message, other, len);
            if (!kernel.available) {
                CHECK(e == HM_KERNEL_UNAVAILABLE);
                continue;
            }
            CHECK(e == HM_OK && hm_equal(whole, len, other, len));
            CHECK(hm_digest_many_on(&a, kernel.name, three, 3, HM_RAW, many, 3 * len) == HM_OK);
            CHECK(hm_equal(whole, len, many, len) && hm_equal(whole, len, many + 2 * len, len));
        }
        CHECK(hm_digest_on(&a, "no-such-kernel", message, 1, other, len) == HM_UNKNOWN_KERNEL);
        hm_kernel none;
        CHECK(hm_kernel_at(&a, kernels, &none) == HM_BAD_ARGUMENT);
    }
    hm_algorithm a;
    CHECK(hm_algorithm_at(n, &a) == HM_BAD_ARGUMENT);
    CHECK(hm_check_kernel_preference() == HM_OK);
}

static void one_message(void) {
    unsigned char out[32];
    CHECK(hm_digest(&HM_SHA256, "abc", 3, out, 32) == HM_OK && is_hex(out, 32, ABC_SHA256));
    CHECK(hm_digest(&HM_SHA256, NULL, 0, out, 32) == HM_OK);
    CHECK(is_hex(out, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    CHECK(hm_digest(&HM_SHA256, NULL, 3, out, 32) == HM_BAD_ARGUMENT && said("null"));
    CHECK(hm_digest(&HM_SHA256, "abc", 3, out, 31) == HM_WRONG_LENGTH && said("32 bytes"));
    CHECK(hm_digest(&HM_SHA256, "abc", 3, NULL, 32) == HM_BAD_ARGUMENT);
    CHECK(hm_digest(&HM_SHA256, "abc", SIZE_MAX, out, 32) == HM_BAD_ARGUMENT);
    /* The digest overwrites the message itself. */
    unsigned char message[40] = "abc";
    CHECK(hm_digest(&HM_SHA256, message, 3, message, 32) == HM_OK && is_hex(message, 32, ABC_SHA256));
    memcpy(message, "abc", 3);
    CHECK(hm_digest(&HM_SHA256, message, 3, message + 1, 32) == HM_OK && is_hex(message + 1, 32, ABC_SHA256));
    memcpy(message, "abc", 3);
    CHECK(hm_digest(&HM_SHA256, message, 3, message, 31) == HM_WRONG_LENGTH && memcmp(message, "abc", 3) == 0);
}

static void text_of_digests(void) {
    unsigned char bytes[4], other[4] = {0xcb, 0xf4, 0x39, 0x26};
    char text[9];
    CHECK(hm_digest(&HM_CRC32, "123456789", 9, bytes, 4) == HM_OK && hm_equal(bytes, 4, other, 4));
    CHECK(hm_to_hex(bytes, 4, text) == HM_OK && strcmp(text, "cbf43926") == 0);
    CHECK(hm_to_hex(bytes, 4, NULL) == HM_BAD_ARGUMENT && hm_to_hex(NULL, 4, text) == HM_BAD_ARGUMENT);
    CHECK(hm_to_hex(NULL, SIZE_MAX, text) == HM_BAD_ARGUMENT);
    CHECK(hm_to_hex(NULL, 0, text) == HM_OK && text[0] == 0);
    memset(other, 0, 4);
    CHECK(hm_from_hex("CBF43926", other, 4) == HM_OK && hm_equal(bytes, 4, other, 4));
    CHECK(hm_from_hex("cbf4392", other, 4) == HM_WRONG_LENGTH && hm_from_hex("cbf4392g", other, 4) == HM_BAD_ARGUMENT);
    CHECK(hm_from_hex(NULL, other, 4) == HM_BAD_ARGUMENT && hm_from_hex("", NULL, 0) == HM_OK);
    CHECK(hm_equal(bytes, 4, other, 4));
    CHECK(!hm_equal(bytes, 4, other, 3) && !hm_equal(bytes, 0, other, 0) && !hm_equal(NULL, 4, other, 4));
}

static void streaming(void) {
    unsigned char out[32], again[32];
    hm_hasher *h = NULL, *twin = NULL;
    CHECK(hm_hasher_new(&HM_SHA256, NULL, &h) == HM_OK);
    CHECK(hm_hasher_update(h, "ab", 2) == HM_OK);
    CHECK(hm_hasher_clone(h, &twin) == HM_OK);
    CHECK(hm_hasher_update(h, "c", 1) == HM_OK && hm_hasher_update(h, NULL, 0) == HM_OK);
    /* The digest can be read any number of times. */
    CHECK(hm_hasher_final(h, out, 32) == HM_OK && hm_hasher_final(h, again, 32) == HM_OK);
    CHECK(is_hex(out, 32, ABC_SHA256) && is_hex(again, 32, ABC_SHA256));
    CHECK(hm_hasher_update(twin, "c", 1) == HM_OK && hm_hasher_final(twin, out, 32) == HM_OK && is_hex(out, 32, ABC_SHA256));
    CHECK(hm_hasher_reset(h) == HM_OK && hm_hasher_update(h, "abc", 3) == HM_OK);
    CHECK(hm_hasher_final(h, out, 32) == HM_OK && is_hex(out, 32, ABC_SHA256));
    hm_algorithm a;
    CHECK(hm_hasher_algorithm(h, &a) == HM_OK && hm_algorithm_equal(&a, &HM_SHA256));
    CHECK(hm_hasher_final(h, out, 33) == HM_WRONG_LENGTH && hm_hasher_final(h, NULL, 32) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_update(h, NULL, 1) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_new(&HM_SHA256, NULL, NULL) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_clone(h, NULL) == HM_BAD_ARGUMENT && hm_hasher_clone(NULL, &twin) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_free(h) == HM_OK && hm_hasher_free(twin) == HM_OK && hm_hasher_free(NULL) == HM_OK);
}

static void own_memory(void) {
    unsigned char out[32];
    hm_hasher h, twin;
    /* Memory without a hasher is detected, whatever it contains. */
    memset(&h, 0, sizeof h);
    CHECK(hm_hasher_update(&h, "abc", 3) == HM_BAD_ARGUMENT && hm_hasher_final(&h, out, 32) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_reset(&h) == HM_BAD_ARGUMENT && hm_hasher_free(&h) == HM_BAD_ARGUMENT);
    memset(&h, 0xa5, sizeof h);
    CHECK(hm_hasher_update(&h, "abc", 3) == HM_BAD_ARGUMENT && hm_hasher_free(&h) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_init(&h, &HM_SHA256, NULL) == HM_OK && hm_hasher_update(&h, "ab", 2) == HM_OK);
    CHECK(hm_hasher_clone_to(&h, &twin) == HM_OK && hm_hasher_clone_to(&h, &h) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_update(&twin, "c", 1) == HM_OK && hm_hasher_final(&twin, out, 32) == HM_OK && is_hex(out, 32, ABC_SHA256));
    /* A byte-by-byte copy is not a hasher. */
    memcpy(&twin, &h, sizeof h);
    CHECK(hm_hasher_update(&twin, "c", 1) == HM_BAD_ARGUMENT && said("hm_hasher_clone"));
    CHECK(hm_hasher_free(&h) == HM_OK);
    CHECK(hm_hasher_update(&h, "abc", 3) == HM_BAD_ARGUMENT && hm_hasher_free(&h) == HM_BAD_ARGUMENT);
    /* Inputs are allocated, so this repeats in the same place. */
    hm_inputs in = hm_inputs_none();
    in.key = "0123456789abcdef";
    in.key_len = 16;
    for (int i = 0; i < 3; i++) {
        CHECK(hm_hasher_init(&h, &HM_SIPHASH_2_4, &in) == HM_OK && hm_hasher_update(&h, "abc", 3) == HM_OK);
        CHECK(hm_hasher_final(&h, out, 8) == HM_OK && hm_hasher_free(&h) == HM_OK);
    }
    unsigned char *room = malloc(sizeof h + 64);
    if (room == NULL) return;
    unsigned char *odd = room + (64 - (size_t)room % 64) % 64 + 8;
    CHECK(hm_hasher_init((hm_hasher *)(void *)odd, &HM_SHA256, NULL) == HM_BAD_ARGUMENT && said("64"));
    CHECK(hm_hasher_update((hm_hasher *)(void *)odd, "a", 1) == HM_BAD_ARGUMENT);
    free(room);
}

static void with_inputs(void) {
    unsigned char out[64], want[64];
    hm_hasher *h = NULL;
    hm_inputs in = hm_inputs_none();
    in.key = "0123456789abcde";
    in.key_len = 15;
    CHECK(hm_hasher_new(&HM_SIPHASH_2_4, &in, &h) == HM_BAD_KEY && said("16 bytes, not 15"));
    CHECK(hm_hasher_new(&HM_SHA256, &in, &h) == HM_BAD_KEY && h == NULL);
    in.key = NULL;
    CHECK(hm_hasher_new(&HM_SIPHASH_2_4, &in, &h) == HM_BAD_ARGUMENT && said("null"));
    in = hm_inputs_none();
    in.key = "";
    CHECK(hm_hasher_new(&HM_SIPHASH_2_4, &in, &h) == HM_BAD_KEY);
    in = hm_inputs_none();
    in.salt = "01234567890123456";
    in.salt_len = 17;
    CHECK(hm_hasher_new(&HM_BLAKE2B_512, &in, &h) == HM_BAD_PARAMETER && said("salt"));
    in.salt_len = 16;
    in.personal = "me";
    in.personal_len = 2;
    CHECK(hm_hasher_new(&HM_BLAKE2B_512, &in, &h) == HM_OK && hm_hasher_update(h, "abc", 3) == HM_OK);
    CHECK(hm_hasher_final(h, out, 64) == HM_OK && hm_digest(&HM_BLAKE2B_512, "abc", 3, want, 64) == HM_OK);
    CHECK(!hm_equal(out, 64, want, 64) && hm_hasher_free(h) == HM_OK);
    in = hm_inputs_none();
    in.context = "example.com 2026 keys";
    in.context_len = 21;
    CHECK(hm_hasher_new(&HM_BLAKE3, &in, &h) == HM_OK && hm_hasher_update(h, "abc", 3) == HM_OK);
    CHECK(hm_hasher_final(h, out, 32) == HM_OK);
    size_t n = 0;
    unsigned char state[HM_MAX_STATE_BYTES];
    CHECK(hm_hasher_export(h, state, sizeof state, &n) == HM_SECRET_STATE);
    CHECK(hm_hasher_free(h) == HM_OK);
    /* A CRC continues from a value as it is printed. */
    CHECK(hm_digest(&HM_CRC32, "one part", 8, want, 4) == HM_OK);
    in = hm_inputs_none();
    in.resume_from = want;
    in.resume_from_len = 4;
    CHECK(hm_hasher_new(&HM_CRC32, &in, &h) == HM_OK && hm_hasher_update(h, " and another", 12) == HM_OK);
    CHECK(hm_hasher_final(h, out, 4) == HM_OK && hm_digest(&HM_CRC32, "one part and another", 20, want, 4) == HM_OK);
    CHECK(hm_equal(out, 4, want, 4) && hm_hasher_free(h) == HM_OK);
    in.resume_from_len = 3;
    CHECK(hm_hasher_new(&HM_CRC32, &in, &h) == HM_WRONG_LENGTH);
    in.resume_from = out;
    in.resume_from_len = 16;
    CHECK(hm_hasher_new(&HM_MD5, &in, &h) == HM_NOT_RESUMABLE);
    in = hm_inputs_none();
    in.kernel = "portable";
    CHECK(hm_hasher_new(&HM_MD5, &in, &h) == HM_OK && hm_hasher_free(h) == HM_OK);
    in.kernel = "vpclmul";
    CHECK(hm_hasher_new(&HM_MD5, &in, &h) == HM_UNKNOWN_KERNEL);
    /* Sizes from a program that knew fewer fields, and from one that knows more. */
    in.size = offsetof(hm_inputs, kernel);
    CHECK(hm_hasher_new(&HM_MD5, &in, &h) == HM_OK && hm_hasher_free(h) == HM_OK);
    in.size = sizeof in + 8;
    CHECK(hm_hasher_new(&HM_MD5, &in, &h) == HM_BAD_ARGUMENT && said("sizeof"));
    in.size = 0;
    CHECK(hm_hasher_new(&HM_MD5, &in, &h) == HM_BAD_ARGUMENT);
}

static void bits(void) {
    unsigned char out[20];
    hm_hasher h;
    CHECK(hm_hasher_init(&h, &HM_SHA1, NULL) == HM_OK);
    CHECK(hm_hasher_update_bits(&h, "\x98", 5) == HM_OK && hm_hasher_final(&h, out, 20) == HM_OK);
    CHECK(is_hex(out, 20, "29826b003b906e660eff4027ce98af3531ac75ba"));
    CHECK(hm_hasher_update_bits(&h, NULL, 1) == HM_BAD_ARGUMENT && hm_hasher_update_bits(&h, NULL, 0) == HM_OK);
    CHECK(hm_hasher_update_bits(&h, NULL, UINT64_MAX) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_init(&h, &HM_CRC32, NULL) == HM_OK && hm_hasher_update_bits(&h, "\x80", 1) == HM_BAD_BITS);
    CHECK(hm_algorithm_takes_bits(&HM_SHA1) && !hm_algorithm_takes_bits(&HM_CRC32));
}

static void states(void) {
    unsigned char out[64], want[64], state[HM_MAX_STATE_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < hm_algorithm_count(); i++) {
        hm_algorithm a;
        hm_hasher h, later;
        CHECK(hm_algorithm_at(i, &a) == HM_OK && hm_hasher_init(&h, &a, NULL) == HM_OK);
        size_t len = hm_algorithm_digest_len(&a);
        unsigned char big[256], other[256];
        CHECK(hm_hasher_update(&h, state, 0) == HM_OK && hm_hasher_update(&h, "one part", 8) == HM_OK);
        CHECK(hm_hasher_export(&h, state, sizeof state, &n) == HM_OK && n <= sizeof state);
        CHECK(hm_hasher_import_to(state, n, NULL, &later) == HM_OK);
        CHECK(hm_hasher_update(&later, " and another", 12) == HM_OK && hm_hasher_final(&later, big, len) == HM_OK);
        CHECK(hm_digest(&a, "one part and another", 20, other, len) == HM_OK && hm_equal(big, len, other, len));
        /* On another kernel. */
        CHECK(hm_hasher_import_to(state, n, "portable", &later) == HM_OK);
        CHECK(hm_hasher_update(&later, " and another", 12) == HM_OK && hm_hasher_final(&later, big, len) == HM_OK);
        CHECK(hm_equal(big, len, other, len));
        state[n - 1] ^= 1;
        CHECK(hm_hasher_import_to(state, n, NULL, &later) == HM_BAD_STATE);
    }
    hm_hasher *h = NULL, *later = NULL;
    CHECK(hm_hasher_new(&HM_SHA256, NULL, &h) == HM_OK);
    n = 0;
    CHECK(hm_hasher_export(h, state, 10, &n) == HM_WRONG_LENGTH && n > 10);
    CHECK(hm_hasher_export(h, state, sizeof state, NULL) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_export(h, NULL, sizeof state, &n) == HM_BAD_ARGUMENT);
    CHECK(hm_hasher_import(NULL, 0, NULL, &later) == HM_BAD_STATE && hm_hasher_import("HMST", 4, NULL, &later) == HM_BAD_STATE);
    CHECK(hm_hasher_export(h, state, sizeof state, &n) == HM_OK && hm_hasher_import(state, n, NULL, &later) == HM_OK);
    CHECK(hm_hasher_final(later, out, 32) == HM_OK && hm_digest(&HM_SHA256, NULL, 0, want, 32) == HM_OK && hm_equal(out, 32, want, 32));
    CHECK(hm_hasher_import(state, n, "vpclmul", &h) == HM_UNKNOWN_KERNEL);
    CHECK(hm_hasher_free(h) == HM_OK && hm_hasher_free(later) == HM_OK);
}

static void extendable(void) {
    unsigned char out[100], piece[100];
    hm_algorithm a;
    hm_hasher h;
    hm_xof *x = NULL;
    CHECK(hm_algorithm_with_digest_len(&HM_SHAKE128, 100, &a) == HM_OK && hm_digest(&a, "abc", 3, out, 100) == HM_OK);
    CHECK(hm_hasher_init(&h, &HM_SHAKE128, NULL) == HM_OK && hm_hasher_update(&h, "abc", 3) == HM_OK);
    CHECK(hm_xof_new(&h, &x) == HM_OK && hm_xof_read(x, piece, 1) == HM_OK && hm_xof_read(x, piece + 1, 99) == HM_OK);
    CHECK(hm_equal(out, 100, piece, 100));
    CHECK(hm_xof_read(x, NULL, 1) == HM_BAD_ARGUMENT && hm_xof_read(NULL, piece, 1) == HM_BAD_ARGUMENT);
    CHECK(hm_xof_free(x) == HM_OK && hm_xof_free(NULL) == HM_OK && hm_xof_new(&h, NULL) == HM_BAD_ARGUMENT);
    /* For an unaligned pointer nothing is allocated; otherwise valgrind would report a leak. */
    hm_xof *places[2];
    CHECK(hm_xof_new(&h, (hm_xof **)(void *)((char *)places + 1)) == HM_BAD_ARGUMENT && said("no place for a pointer"));
    /* The digest may be written over the message. */
    unsigned char both[64], whole[64], expected[32];
    for (size_t at = 0; at <= 32; at += 8) {
        memset(both, 7, sizeof both);
        memset(whole, 7, sizeof whole);
        CHECK(hm_digest(&HM_SHA256, whole, sizeof whole, expected, 32) == HM_OK);
        CHECK(hm_digest(&HM_SHA256, both, sizeof both, both + at, 32) == HM_OK && memcmp(both + at, expected, 32) == 0);
    }
    CHECK(hm_hasher_init(&h, &HM_SHA256, NULL) == HM_OK && hm_xof_new(&h, &x) == HM_NOT_EXTENDABLE);
}

static void codes(void) {
    unsigned char out[32];
    static const char key[] = "key", fox[] = "The quick brown fox jumps over the lazy dog";
    hm_hmac *m = NULL, *twin = NULL;
    CHECK(hm_hmac_new(&HM_SHA256, key, 3, &m) == HM_OK && hm_hmac_update(m, fox, 20) == HM_OK);
    CHECK(hm_hmac_clone(m, &twin) == HM_OK);
    CHECK(hm_hmac_update(m, fox + 20, sizeof fox - 1 - 20) == HM_OK && hm_hmac_final(m, out, 32) == HM_OK);
    CHECK(is_hex(out, 32, "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"));
    CHECK(hm_hmac_verify(m, out, 32) && !hm_hmac_verify(m, out, 31) && !hm_hmac_verify(m, NULL, 0) && !hm_hmac_verify(NULL, out, 32));
    CHECK(!hm_hmac_verify(twin, out, 32) && hm_hmac_update(twin, fox + 20, sizeof fox - 1 - 20) == HM_OK && hm_hmac_verify(twin, out, 32));
    CHECK(hm_hmac_reset(m) == HM_OK && hm_hmac_update(m, fox, sizeof fox - 1) == HM_OK && hm_hmac_verify(m, out, 32));
    CHECK(hm_hmac_final(m, out, 31) == HM_WRONG_LENGTH && hm_hmac_final(m, NULL, 32) == HM_BAD_ARGUMENT);
    CHECK(hm_hmac_free(m) == HM_OK && hm_hmac_free(twin) == HM_OK && hm_hmac_free(NULL) == HM_OK);
    CHECK(hm_hmac_new(&HM_CRC32, key, 3, &m) == HM_BAD_KEY && hm_hmac_new(&HM_SHA256, NULL, 3, &m) == HM_BAD_ARGUMENT);
    CHECK(hm_hmac_new(&HM_SHA256, NULL, 0, &m) == HM_OK && hm_hmac_free(m) == HM_OK);
}

static void many(void) {
    hm_bytes two[2] = {{"hello", 5}, {"word", 4}};
    char out[17] = "";
    CHECK(hm_digest_many(&HM_CRC32, two, 2, HM_HEX, out, 16) == HM_OK && strcmp(out, "3610a686c3f17511") == 0);
    memset(out, 'x', 16);
    CHECK(hm_digest_many(&HM_CRC32, two, 2, HM_HEX, out, 15) == HM_WRONG_TOTAL && out[0] == 'x');
    CHECK(hm_digest_many(&HM_CRC32, two, 2, 2, out, 16) == HM_BAD_ARGUMENT && said("encoding"));
    CHECK(hm_digest_many(&HM_CRC32, NULL, 2, HM_HEX, out, 16) == HM_BAD_ARGUMENT);
    CHECK(hm_digest_many(&HM_CRC32, NULL, 0, HM_HEX, NULL, 0) == HM_OK);
    CHECK(hm_digest_many(&HM_CRC32, two, SIZE_MAX, HM_RAW, out, 16) == HM_BAD_ARGUMENT);
    two[1].data = NULL;
    CHECK(hm_digest_many(&HM_CRC32, two, 2, HM_HEX, out, 16) == HM_BAD_ARGUMENT && said("message 1"));
    two[1].len = 0;
    CHECK(hm_digest_many(&HM_CRC32, two, 2, HM_HEX, out, 16) == HM_OK && memcmp(out, "3610a68600000000", 16) == 0);
    two[1].data = out;
    two[1].len = 4;
    CHECK(hm_digest_many(&HM_CRC32, two, 2, HM_HEX, out, 16) == HM_BAD_ARGUMENT && said("overlaps"));

    static const int32_t i32[] = {0, 5, 9};
    static const int64_t i64[] = {0, 5, 9};
    static const uint32_t u32[] = {0, 5, 9};
    static const uint64_t u64[] = {0, 5, 9};
    const void *offsets[] = {i32, i64, u32, u64};
    for (uint32_t type = HM_INT32; type <= HM_UINT64; type++) {
        memset(out, 'x', 16);
        CHECK(hm_digest_column(&HM_CRC32, offsets[type], type, 2, "helloword", 9, HM_HEX, out, 16) == HM_OK);
        CHECK(strcmp(out, "3610a686c3f17511") == 0);
        CHECK(hm_digest_column_on(&HM_CRC32, "portable", offsets[type], type, 2, "helloword", 9, HM_HEX, out, 16) == HM_OK);
        CHECK(strcmp(out, "3610a686c3f17511") == 0);
        CHECK(hm_digest_column(&HM_CRC32, offsets[type], type, 2, "helloword", 8, HM_HEX, out, 16) == HM_BAD_OFFSETS);
        CHECK(hm_digest_column(&HM_CRC32, (const char *)offsets[type] + 1, type, 2, "helloword", 9, HM_HEX, out, 16) == HM_BAD_ARGUMENT);
        CHECK(hm_digest_column(&HM_CRC32, NULL, type, 2, "helloword", 9, HM_HEX, out, 16) == HM_BAD_ARGUMENT);
        CHECK(hm_digest_column(&HM_CRC32, NULL, type, 0, NULL, 0, HM_HEX, NULL, 0) == HM_OK);
        CHECK(hm_digest_column(&HM_CRC32, offsets[type], type, SIZE_MAX, "helloword", 9, HM_HEX, out, 16) == HM_BAD_ARGUMENT);
    }
    static const int32_t negative[] = {0, -5, 9}, descending[] = {0, 5, 4};
    CHECK(hm_digest_column(&HM_CRC32, negative, HM_INT32, 2, "helloword", 9, HM_HEX, out, 16) == HM_BAD_OFFSETS && said("-5"));
    CHECK(hm_digest_column(&HM_CRC32, descending, HM_INT32, 2, "helloword", 9, HM_HEX, out, 16) == HM_BAD_OFFSETS);
    CHECK(hm_digest_column(&HM_CRC32, i32, 4, 2, "helloword", 9, HM_HEX, out, 16) == HM_BAD_ARGUMENT);
    memcpy(out, "helloword", 9);
    CHECK(hm_digest_column(&HM_CRC32, i32, HM_INT32, 2, out, 9, HM_HEX, out, 16) == HM_BAD_ARGUMENT && said("overlaps"));
}

static void in_parts(void) {
    enum { LEN = 3 * 4096 + 17 };
    unsigned char *message = malloc(LEN), out[32], want[32];
    if (message == NULL) return;
    for (size_t i = 0; i < LEN; i++) message[i] = (unsigned char)(i % 251);
    hm_parts *parts = NULL;
    hm_part *part = NULL, *second = NULL;
    CHECK(hm_digest(&HM_BLAKE3, message, LEN, want, 32) == HM_OK && hm_parts_new(&HM_BLAKE3, 4096, &parts) == HM_OK);
    CHECK(hm_part_new(&HM_BLAKE3, 4096, message + 4096, 4096, &second) == HM_OK);
    CHECK(hm_parts_push(parts, second) == HM_WRONG_PART && said("begins at byte 0"));
    for (uint64_t i = 0; i < 3; i++) {
        CHECK(hm_part_new(&HM_BLAKE3, 4096 * i, message + 4096 * i, 4096, &part) == HM_OK);
        CHECK(hm_parts_push(parts, part) == HM_OK && hm_part_free(part) == HM_OK);
    }
    CHECK(hm_parts_final(parts, message + 3 * 4096, 17, out, 32) == HM_OK && hm_equal(out, 32, want, 32));
    CHECK(hm_parts_final(parts, message, 4097, out, 32) == HM_WRONG_PART && hm_parts_final(parts, NULL, 0, out, 31) == HM_WRONG_LENGTH);
    CHECK(hm_parts_push(parts, NULL) == HM_BAD_ARGUMENT && hm_parts_push(NULL, second) == HM_BAD_ARGUMENT);
    CHECK(hm_part_free(second) == HM_OK && hm_part_free(NULL) == HM_OK && hm_parts_free(parts) == HM_OK && hm_parts_free(NULL) == HM_OK);
    CHECK(hm_parts_new(&HM_BLAKE3, 4095, &parts) == HM_BAD_PARAMETER && hm_parts_new(&HM_BLAKE3, 2048, &parts) == HM_BAD_PARAMETER);
    CHECK(hm_parts_new(&HM_SHA256, 4096, &parts) == HM_BAD_PARAMETER && hm_part_new(&HM_SHA256, 0, message, 4096, &part) == HM_BAD_PARAMETER);
    CHECK(hm_algorithm_is_divisible(&HM_BLAKE3) && !hm_algorithm_is_divisible(&HM_SHA256));

    unsigned char x[4], y[4];
    CHECK(hm_digest(&HM_CRC32, message, 1000, x, 4) == HM_OK && hm_digest(&HM_CRC32, message + 1000, LEN - 1000, y, 4) == HM_OK);
    CHECK(hm_combine(&HM_CRC32, x, y, LEN - 1000, x, 4) == HM_OK && hm_digest(&HM_CRC32, message, LEN, y, 4) == HM_OK && hm_equal(x, 4, y, 4));
    CHECK(hm_combine(&HM_CRC32, x, y, 1, x, 3) == HM_WRONG_LENGTH && hm_combine(&HM_MD5, want, want, 1, out, 16) == HM_NOT_RESUMABLE);
    CHECK(hm_combine(&HM_CRC32, NULL, y, 1, x, 4) == HM_BAD_ARGUMENT);
    free(message);
}

static int counting(void *user, uint64_t done) {
    uint64_t *last = user;
    if (done <= *last) return 2;
    *last = done;
    return 0;
}

static int stopping(void *user, uint64_t done) {
    return done >= *(const uint64_t *)user;
}

static void files(void) {
    enum { LEN = 1000000 };
    unsigned char *message = malloc(LEN), out[32], want[32];
    char path[] = "/tmp/hashmill-c-XXXXXX";
    int fd = mkstemp(path);
    if (message == NULL || fd < 0) {
        CHECK(fd >= 0 && message != NULL);
        return;
    }
    unlink(path);
    for (size_t i = 0; i < LEN; i++) message[i] = (unsigned char)(i % 251);
    CHECK(write(fd, message, LEN) == LEN && hm_digest(&HM_SHA256, message, LEN, want, 32) == HM_OK);
    uint64_t last = 0, taken = 0;
    CHECK(lseek(fd, 0, SEEK_SET) == 0 && hm_digest_fd(&HM_SHA256, fd, counting, &last, out, 32) == HM_OK);
    CHECK(last == LEN && hm_equal(out, 32, want, 32));
    CHECK(hm_digest_fd(&HM_SHA256, fd, NULL, NULL, out, 31) == HM_WRONG_LENGTH);
    hm_hasher h;
    CHECK(lseek(fd, 0, SEEK_SET) == 0 && hm_hasher_init(&h, &HM_SHA256, NULL) == HM_OK);
    CHECK(hm_hasher_update_fd(&h, fd, 7, NULL, NULL, &taken) == HM_OK && taken == 7 && lseek(fd, 0, SEEK_CUR) == 7);
    last = 300000;
    CHECK(hm_hasher_update_fd(&h, fd, UINT64_MAX, stopping, &last, &taken) == HM_CANCELLED && taken == 2 * 262144);
    CHECK(lseek(fd, 0, SEEK_CUR) == 7 + 2 * 262144);
    /* Hashing continues where it was cancelled. */
    CHECK(hm_hasher_update_fd(&h, fd, UINT64_MAX, NULL, NULL, NULL) == HM_OK);
    CHECK(hm_hasher_final(&h, out, 32) == HM_OK && hm_equal(out, 32, want, 32));
    CHECK(hm_hasher_update_fd(&h, -1, UINT64_MAX, NULL, NULL, &taken) == HM_IO && taken == 0 && said("descriptor -1"));
    CHECK(hm_hasher_update_fd(NULL, fd, UINT64_MAX, NULL, NULL, &taken) == HM_BAD_ARGUMENT);
    int folder = open("/tmp", O_RDONLY);
    CHECK(hm_digest_fd(&HM_SHA256, folder, NULL, NULL, out, 32) == HM_IO);
    close(folder);
    close(fd);
    free(message);
}

/* Returns whether the digests of a column of 2 MB are right. */
static int column_threads_right(size_t threads) {
    enum { COUNT = 20000, LEN = 100 };
    static unsigned char bytes[COUNT * LEN], got[COUNT * 4], want[COUNT * 4];
    static uint32_t offsets[COUNT + 1];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 7 >> 3);
    for (size_t i = 0; i <= COUNT; i++) offsets[i] = (uint32_t)(i * LEN);
    int right = hm_digest_column(&HM_CRC32C, offsets, HM_UINT32, COUNT, bytes, sizeof bytes, HM_RAW, want, sizeof want) == HM_OK;
    memset(got, 0, sizeof got);
    right &= hm_digest_column_threads(&HM_CRC32C, threads, offsets, HM_UINT32, COUNT, bytes, sizeof bytes, HM_RAW, got, sizeof got) == HM_OK;
    right &= memcmp(got, want, sizeof got) == 0;
    right &= hm_digest_column_threads(&HM_CRC32C, threads, offsets, HM_UINT32, COUNT, bytes, sizeof bytes - 1, HM_RAW, got, sizeof got) == HM_BAD_OFFSETS;
    right &= hm_digest_column_threads(&HM_CRC32C, threads, offsets, HM_UINT32, COUNT, bytes, sizeof bytes, HM_RAW, got, sizeof got - 1) == HM_WRONG_TOTAL;
    right &= hm_digest_column_threads(&HM_CRC32C, threads, offsets, 4, COUNT, bytes, sizeof bytes, HM_RAW, got, sizeof got) == HM_BAD_ARGUMENT;
    right &= hm_digest_column_threads(&HM_CRC32C, threads, offsets, HM_UINT32, COUNT, bytes, sizeof bytes, HM_RAW, bytes, sizeof got) == HM_BAD_ARGUMENT;
    right &= hm_digest_column_threads(NULL, threads, offsets, HM_UINT32, COUNT, bytes, sizeof bytes, HM_RAW, got, sizeof got) == HM_BAD_ARGUMENT;
    return right;
}

/* Returns whether the digests of enough messages for several threads are right. */
static int many_threads_right(void) {
    enum { COUNT = 1500, MOST = 3000 };
    static unsigned char bytes[MOST], raw[COUNT * 16], want[COUNT * 16];
    static char hex[COUNT * 32], want_hex[COUNT * 32];
    static unsigned char slow[COUNT * 32], slow_want[COUNT * 32];
    static hm_bytes messages[COUNT];
    int right = 1;
    for (size_t i = 0; i < MOST; i++) bytes[i] = (unsigned char)(i * 7 % 255);
    for (size_t i = 0; i < COUNT; i++) messages[i] = (hm_bytes){i % 50 == 0 ? NULL : bytes + i % 3, i % 50 == 0 ? 0 : i * 2 % (MOST - 3)};
    right &= hm_digest_many(&HM_MD5, messages, COUNT, HM_RAW, want, sizeof want) == HM_OK;
    right &= hm_digest_many(&HM_MD5, messages, COUNT, HM_HEX, want_hex, sizeof want_hex) == HM_OK;
    for (size_t threads = 0; threads <= 9; threads += threads < 3 ? 1 : 3) {
        memset(raw, 0, sizeof raw);
        memset(hex, 0, sizeof hex);
        right &= hm_digest_many_threads(&HM_MD5, threads, messages, COUNT, HM_RAW, raw, sizeof raw) == HM_OK && memcmp(raw, want, sizeof raw) == 0;
        right &= hm_digest_many_threads(&HM_MD5, threads, messages, COUNT, HM_HEX, hex, sizeof hex) == HM_OK && memcmp(hex, want_hex, sizeof hex) == 0;
        right &= hm_digest_many_threads(&HM_MD5, threads, messages, 7, HM_RAW, raw, 7 * 16) == HM_OK && memcmp(raw, want, 7 * 16) == 0;
        right &= hm_digest_many_threads(&HM_MD5, threads, NULL, 0, HM_RAW, NULL, 0) == HM_OK;
        right &= hm_digest_many_threads(&HM_MD5, threads, messages, COUNT, HM_RAW, raw, sizeof raw - 1) == HM_WRONG_TOTAL;
        right &= hm_digest_many_threads(&HM_MD5, threads, messages, COUNT, 2, raw, sizeof raw) == HM_BAD_ARGUMENT;
        right &= hm_digest_many_threads(NULL, threads, messages, COUNT, HM_RAW, raw, sizeof raw) == HM_BAD_ARGUMENT;
        right &= hm_digest_many_threads(&HM_MD5, threads, messages, COUNT, HM_RAW, bytes, sizeof raw) == HM_BAD_ARGUMENT;
        right &= column_threads_right(threads);
    }
    /* Work for several milliseconds, so that threads are started without being asked for. */
    right &= hm_digest_many(&HM_SNEFRU256, messages, COUNT, HM_RAW, slow_want, sizeof slow_want) == HM_OK;
    right &= hm_digest_many_threads(&HM_SNEFRU256, 0, messages, COUNT, HM_RAW, slow, sizeof slow) == HM_OK && memcmp(slow, slow_want, sizeof slow) == 0;
    messages[COUNT - 1].data = NULL;
    right &= hm_digest_many_threads(&HM_MD5, 2, messages, COUNT, HM_RAW, raw, sizeof raw) == HM_BAD_ARGUMENT && said("message 1499");
    return right;
}

static void many_threads(void) {
    CHECK(many_threads_right());
}

/* The results that hm_digest_files reported. */
struct told {
    size_t files, failed, ticks;
    size_t stop_after;
    const char *const *paths;
    unsigned char digests[64][48];
    char why[64][64];
    uint64_t bytes, files_total;
    uint32_t complete;
};

static int file_done(void *user, const hm_file *file) {
    struct told *t = user;
    CHECK(file->index == t->files && file->path == t->paths[file->index] && file->index < 64);
    CHECK(strchr(file->message, '\n') == NULL);
    snprintf(t->why[file->index], sizeof t->why[0], "%s", file->message);
    if (file->error == HM_OK) {
        CHECK(file->digests_len == 48 && file->message[0] == '\0');
        memcpy(t->digests[file->index], file->digests, 48);
    } else {
        CHECK(file->error == HM_IO && file->digests == NULL && file->digests_len == 0 && file->message[0] != '\0');
        t->failed++;
    }
    t->files++;
    return t->stop_after != 0 && t->files == t->stop_after ? 7 : 0;
}

static int files_tick(void *user, const hm_files_progress *p) {
    struct told *t = user;
    CHECK(p->bytes >= t->bytes && p->files <= p->files_total);
    t->bytes = p->bytes;
    t->files_total = p->files_total;
    t->complete = p->complete;
    t->ticks++;
    return 0;
}

static int no_more(void *user, const hm_files_progress *p) {
    (void)p;
    ++*(size_t *)user;
    return 1;
}

static void many_files(void) {
    enum { FILES = 40, LEN = 30000 };
    static char names[FILES + 3][64];
    static const char *paths[FILES + 3];
    static unsigned char message[LEN];
    static struct told t;
    char folder[] = "/tmp/hashmill-c-XXXXXX";
    const char *made = mkdtemp(folder);
    CHECK(made != NULL);
    if (made == NULL) return;
    for (size_t i = 0; i < LEN; i++) message[i] = (unsigned char)(i * i % 253);
    for (size_t i = 0; i < FILES; i++) {
        /* Names that are not UTF-8 and contain a newline. */
        snprintf(names[i], sizeof names[i], "%s/%zu\xff\n", folder, i);
        paths[i] = names[i];
        FILE *f = fopen(names[i], "wb");
        CHECK(f != NULL && fwrite(message, 1, i * 700, f) == i * 700 && fclose(f) == 0);
    }
    snprintf(names[FILES], sizeof names[0], "%s/none", folder);
    snprintf(names[FILES + 1], sizeof names[0], "%s", folder);
    snprintf(names[FILES + 2], sizeof names[0], "%s", names[3]);
    for (size_t i = FILES; i < FILES + 3; i++) paths[i] = names[i];
    const hm_algorithm *both[2] = {&HM_SHA256, &HM_MD5};
    for (size_t threads = 0; threads <= 3; threads++) {
        memset(&t, 0, sizeof t);
        t.paths = paths;
        CHECK(hm_digest_files(both, 2, paths, FILES + 3, threads, file_done, files_tick, &t) == HM_OK);
        CHECK(t.files == FILES + 3 && t.failed == 2 && t.ticks >= 1 && t.complete == 1 && t.files_total == FILES + 3);
        CHECK(strcmp(t.why[FILES], "no such file or directory") == 0 && strcmp(t.why[FILES + 1], "is a directory") == 0);
        for (size_t i = 0; i < FILES; i++) {
            unsigned char want[48];
            CHECK(hm_digest(&HM_SHA256, message, i * 700, want, 32) == HM_OK && hm_digest(&HM_MD5, message, i * 700, want + 32, 16) == HM_OK);
            CHECK(memcmp(want, t.digests[i], 48) == 0);
        }
        CHECK(memcmp(t.digests[FILES + 2], t.digests[3], 48) == 0);
    }
    CHECK(t.bytes >= 700 * (FILES - 1) * FILES / 2);
    /* Either callback can cancel the call. A file that fails does not make the call fail. */
    memset(&t, 0, sizeof t);
    t.paths = paths;
    t.stop_after = 5;
    CHECK(hm_digest_files(both, 2, paths, FILES + 3, 2, file_done, NULL, &t) == HM_CANCELLED && t.files == 5 && said("with 7 after 5 files"));
    /* An endless file: only the progress callback can end the call. */
    const char *zeros = "/dev/zero";
    size_t ticks = 0;
    CHECK(hm_digest_files(both, 2, &zeros, 1, 1, NULL, no_more, &ticks) == HM_CANCELLED && ticks == 1 && said("progress callback"));
    ticks = 0;
    CHECK(hm_digest_files(both, 1, &zeros, 1, 2, NULL, no_more, &ticks) == HM_CANCELLED && ticks == 1);
    /* No files, and no callbacks. */
    CHECK(hm_digest_files(both, 2, NULL, 0, 0, NULL, NULL, NULL) == HM_OK);
    CHECK(hm_digest_files(both, 2, paths, 3, 0, NULL, NULL, NULL) == HM_OK);
    CHECK(hm_digest_files(both, 0, paths, 1, 0, NULL, NULL, NULL) == HM_BAD_ARGUMENT && said("algorithms"));
    CHECK(hm_digest_files(NULL, 1, paths, 1, 0, NULL, NULL, NULL) == HM_BAD_ARGUMENT);
    CHECK(hm_digest_files(both, 2, NULL, 1, 0, NULL, NULL, NULL) == HM_BAD_ARGUMENT && said("paths"));
    const char *gap[2] = {paths[0], NULL};
    CHECK(hm_digest_files(both, 2, gap, 2, 0, NULL, NULL, NULL) == HM_BAD_ARGUMENT && said("path 1 is null"));
    for (size_t i = 0; i < FILES; i++) unlink(paths[i]);
    rmdir(folder);
}

/* If no thread can be started, the calling thread does the work. This runs in the child process of without_threads,
 * whose threads would have stacks larger than any machine's memory. */
static int alone(void) {
    static struct told t;
    static const char *const paths[3] = {"/dev/null", "/etc/passwd", "/none"};
    const hm_algorithm *both[2] = {&HM_SHA256, &HM_MD5};
    t.paths = paths;
    current_ok = 1;
    CHECK(hm_digest_files(both, 2, paths, 3, 0, file_done, files_tick, &t) == HM_OK && t.files == 3 && t.failed == 1 && t.ticks >= 1);
    CHECK(is_hex(t.digests[0] + 32, 16, "d41d8cd98f00b204e9800998ecf8427e"));
    memset(&t, 0, sizeof t);
    t.paths = paths;
    t.stop_after = 1;
    CHECK(hm_digest_files(both, 2, paths, 3, 0, file_done, files_tick, &t) == HM_CANCELLED && t.files == 1);
    CHECK(many_threads_right());
    return current_ok ? 0 : 1;
}

static const char *program;

static void without_threads(void) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        setenv("RUST_MIN_STACK", "2305843009213693952", 1);
        execl(program, program, "alone", (char *)NULL);
        _exit(2);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv) {
    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "alone") == 0) return alone();
    test("names", names);
    test("never set", never_set);
    test("all algorithms", all_algorithms);
    test("one message", one_message);
    test("text of digests", text_of_digests);
    test("streaming", streaming);
    test("own memory", own_memory);
    test("with inputs", with_inputs);
    test("bits", bits);
    test("states", states);
    test("extendable", extendable);
    test("codes", codes);
    test("many", many);
    test("in parts", in_parts);
    test("files", files);
    test("many on threads", many_threads);
    test("many files", many_files);
    test("without threads", without_threads);
    printf("test result: %s. %d passed; %d failed\n", failed ? "FAILED" : "ok", passed, failed);
    return failed ? 1 : 0;
}
