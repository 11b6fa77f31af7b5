/* The command line of hallpass-request, as a request or as what is wrong with it. */
#include "request.h"

static const char *const CATEGORIES[] = {"write", "exec", "connect", NULL};

/* Where parsing stands: the words that are no options, and whether `--` has ended the options. */
struct parser {
    char *const *next;
    const char *words[3];
    int word_count;
    bool options_ended;
    struct request *request;
    struct complaint *complaint;
};

static bool complain(struct parser *parser, const char *what, const char *word)
{
    *parser->complaint = (struct complaint){.what = what, .word = word};
    return false;
}

static bool is_category(const char *word)
{
    for (const char *const *category = CATEGORIES; *category != NULL; category++)
        if (is_equal(word, *category))
            return true;
    return false;
}

/* 90s, 10m, 2h, 1h30m: numbers, each with a unit, the units in falling order, not all of them zero. */
static bool is_duration(const char *text)
{
    const char *units = "hms";
    bool is_positive = false;
    if (*text == '\0')
        return false;
    while (*text != '\0') {
        if (*text < '0' || *text > '9')
            return false;
        for (; *text >= '0' && *text <= '9'; text++)
            is_positive = is_positive || *text != '0';
        while (*units != '\0' && *units != *text)
            units++;
        if (*units == '\0')
            return false;
        units++;
        text++;
    }
    return is_positive;
}

/* Takes `--name=value` or `--name value` into `slot`; gives false after a complaint. */
static bool take_value(struct parser *parser, const char *option, size_t name_length, const char **slot)
{
    const char *value = option + name_length;
    if (*slot != NULL)
        return complain(parser, "given twice:", option);
    if (*value == '=')
        value++;
    else if (*parser->next != NULL)
        value = *parser->next++;
    else
        return complain(parser, "no value after", option);
    *slot = value;
    return true;
}

static bool is_option(const char *word, const char *name)
{
    char end = starts_with(word, name) ? word[length_of(name)] : 'x';
    return end == '\0' || end == '=';
}

static bool take_option(struct parser *parser, const char *option)
{
    struct request *request = parser->request;
    if (is_option(option, "--for"))
        return take_value(parser, option, length_of("--for"), &request->duration);
    if (is_option(option, "--reason"))
        return take_value(parser, option, length_of("--reason"), &request->reason);
    return complain(parser, "there are --for and --reason, not", option);
}

static bool take_word(struct parser *parser, const char *word)
{
    if (parser->word_count == 3)
        return complain(parser, "one word too many:", word);
    parser->words[parser->word_count++] = word;
    return true;
}

static bool take_next(struct parser *parser)
{
    const char *word = *parser->next++;
    if (!parser->options_ended && is_equal(word, "--")) {
        parser->options_ended = true;
        return true;
    }
    if (!parser->options_ended && word[0] == '-' && word[1] != '\0')
        return take_option(parser, word);
    return take_word(parser, word);
}

/* Sorts the words into [check|release] CATEGORY TARGET. */
static bool place_words(struct parser *parser)
{
    struct request *request = parser->request;
    const char *const *word = parser->words;
    const char *const *end = word + parser->word_count;
    request->action = "ask";
    if (word < end && (is_equal(*word, "check") || is_equal(*word, "release")))
        request->action = *word++;
    if (word == end)
        return complain(parser, "say what to ask for: write, exec or connect", NULL);
    if (!is_category(*word))
        return complain(parser, "there are write, exec and connect, not", *word);
    request->category = *word++;
    if (word == end || **word == '\0')
        return complain(parser, "no target after", request->category);
    request->target = *word++;
    return word == end || complain(parser, "one word too many:", *word);
}

static bool check_options(struct parser *parser)
{
    const struct request *request = parser->request;
    bool has_option = request->duration != NULL || request->reason != NULL;
    if (has_option && is_equal(request->action, "release"))
        return complain(parser, "release takes neither --for nor --reason", NULL);
    if (request->duration != NULL && !is_duration(request->duration))
        return complain(parser, "a duration is like 90s, 10m, 2h or 1h30m, not", request->duration);
    return true;
}

static bool asks_for_help(char *const *arguments)
{
    for (; *arguments != NULL && !is_equal(*arguments, "--"); arguments++)
        if (is_equal(*arguments, "--help") || is_equal(*arguments, "-h"))
            return true;
    return false;
}

enum parsed parse_arguments(char *const *arguments, struct request *request, struct complaint *complaint)
{
    struct parser parser = {.next = arguments, .request = request, .complaint = complaint};
    *request = (struct request){0};
    if (asks_for_help(arguments))
        return PARSED_HELP;
    while (*parser.next != NULL)
        if (!take_next(&parser))
            return PARSED_COMPLAINT;
    return place_words(&parser) && check_options(&parser) ? PARSED_REQUEST : PARSED_COMPLAINT;
}
