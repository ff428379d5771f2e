/* The floor: what the kernel costs anybody who takes datagrams in batches and
   sends them back. It reads nothing of them; it only says that they are replies. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BATCH = 64, SIZE = 512 };

static unsigned char octets[BATCH][SIZE];
static struct sockaddr_in peers[BATCH];
static struct iovec parts[BATCH];
static struct mmsghdr messages[BATCH];

static void ready(int i) {
	parts[i] = (struct iovec){octets[i], SIZE};
	messages[i].msg_hdr = (struct msghdr){.msg_name = &peers[i], .msg_namelen = sizeof peers[i], .msg_iov = &parts[i], .msg_iovlen = 1};
}

static int opened(int port) {
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int room = 1 << 22, s = socket(AF_INET, SOCK_DGRAM, 0);
	setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	if (s < 0 || bind(s, (struct sockaddr *)&at, sizeof at) < 0) {
		perror("bind");
		exit(1);
	}
	return s;
}

int main(int argc, char **argv) {
	int s = opened(argc > 1 ? atoi(argv[1]) : 0);
	for (;;) {
		for (int i = 0; i < BATCH; i++)
			ready(i);
		int n = recvmmsg(s, messages, BATCH, MSG_WAITFORONE, NULL);
		for (int i = 0; i < n; i++) {
			parts[i].iov_len = messages[i].msg_len;
			octets[i][2] |= 0x80;
		}
		for (int sent = 0, m; sent < n; sent += m)
			if ((m = sendmmsg(s, messages + sent, n - sent, 0)) <= 0)
				break;
	}
}
