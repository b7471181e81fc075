#include <hashmill.h>
#include <stdio.h>

int main(void) {
    unsigned char digest[32];
    char text[65];
    if (hm_digest(&HM_SHA256, "abc", 3, digest, sizeof digest) != HM_OK || hm_to_hex(digest, sizeof digest, text) != HM_OK) {
        fprintf(stderr, "%s\n", hm_error_message());
        return 1;
    }
    puts(text);
    return 0;
}
