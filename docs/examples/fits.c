/* A scheduler asks before it starts a job: will it fit?
 *
 *     fits MODEL GPU GPUS MICRO-BATCH
 *
 * Exit code 0: yes; 1: no; 2: the question has no answer. */
#include <traincost/capi/traincost.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    char question[512];
    char* answer;
    int fits;
    int failed;
    if (argc != 5) {
        fprintf(stderr, "usage: fits MODEL GPU GPUS MICRO-BATCH\n");
        return 2;
    }
    snprintf(question, sizeof question,
             "{\"command\": \"estimate\", \"model\": \"%.64s\", \"gpu\": \"%.64s\", \"gpus\": \"%.16s\","
             " \"micro-batch\": \"%.16s\", \"global-batch\": 256, \"seq\": 4096, \"zero\": 1}",
             argv[1], argv[2], argv[3], argv[4]);
    answer = traincost_ask(question);
    if (answer == NULL) {
        fprintf(stderr, "fits: out of memory\n");
        return 2;
    }
    /* A scheduler has a JSON parser; for yes and no, two words will do. */
    failed = strncmp(answer, "{\n  \"error\"", 11) == 0;
    fits = strstr(answer, "\n  \"fits\": true") != NULL;
    if (failed)
        fprintf(stderr, "%s", answer);
    else
        printf("%s on %s %s: %s\n", argv[1], argv[3], argv[2], fits ? "fits" : "does not fit");
    traincost_free(answer);
    return failed ? 2 : fits ? 0 : 1;
}
