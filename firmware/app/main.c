/* Main loop: a request, its reply, the next one. */
#include <string.h>

#include "board.h"
#include "core.h"
#include "link.h"
#include "requests.h"

void
app_log(const char *text)
{
    link_begin(ANSWER_LOG, UNASKED);
    link_put(text, strlen(text));
    link_end();
}

_Noreturn void
app_main(void)
{
    const char *refusal = core_start();
    if (refusal)
        app_log(refusal);
    requests_hello();
    for (;;) {
        link_request request;
        link_sink sink = { request_field_bytes, core_mailbox(), core_mailbox_bytes() };
        link_receive(&request, &sink);
        board_watchdog(true);
        requests_handle(&request);
        board_watchdog(false);
    }
}
