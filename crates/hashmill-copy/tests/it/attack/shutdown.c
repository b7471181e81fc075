/* Shuts down an ext4 file system as a power cut would: what is not on the medium yet is lost, even if it is in the
 * journal.
 *
 *     shutdown FOLDER
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
    uint32_t nologflush = 2;
    int fd = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
    if (fd < 0 || ioctl(fd, _IOR('X', 125, uint32_t), &nologflush) != 0) {
        perror("shutdown");
        return 1;
    }
    return 0;
}
