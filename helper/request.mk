# hallpass-request: static, without a libc where it runs. With musl-gcc it is linked to musl, else it brings its own
# entry point (request/start.c); for the other architecture it always does.

REQUEST_SOURCES := helper/hallpass-request.c $(addprefix helper/request/,arguments.c magic_path.c reply.c text.c)
REQUEST_BARE_SOURCES := $(REQUEST_SOURCES) helper/request/start.c
REQUEST_HEADERS := $(wildcard helper/request/*.h)
REQUEST_WARNINGS := -std=gnu17 -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wcast-qual -Wwrite-strings -Wundef
REQUEST_FLAGS := $(REQUEST_WARNINGS) -Os -fno-asynchronous-unwind-tables -static -s -Wl,--build-id=none
REQUEST_BARE := -ffreestanding -nostdlib -fno-stack-protector -fno-pie -no-pie -Wl,-z,noexecstack
REQUEST_SANITIZE := $(REQUEST_WARNINGS) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all

AMD64_CC := $(if $(filter x86_64,$(shell uname -m)),$(CC),x86_64-linux-gnu-gcc)
ARM64_CC := $(if $(filter aarch64,$(shell uname -m)),$(CC),aarch64-linux-gnu-gcc)

.PHONY: request request-all request-test
request: build/hallpass-request
# Both architectures, laid as deploy/request/Dockerfile takes them.
request-all: build/request/amd64/hallpass-request build/request/arm64/hallpass-request
request-test: build/hallpass-request build/test/hallpass-request.bare build/test/hallpass-request.asan \
	build/test/request_fuzz build/test/exec_errno

build/hallpass-request: $(REQUEST_BARE_SOURCES) $(REQUEST_HEADERS)
	@mkdir -p $(@D)
	if command -v musl-gcc >/dev/null; \
	then musl-gcc $(REQUEST_FLAGS) -o $@ $(REQUEST_SOURCES); \
	else $(CC) $(REQUEST_FLAGS) $(REQUEST_BARE) -o $@ $(REQUEST_BARE_SOURCES); fi

build/request/amd64/hallpass-request: $(REQUEST_BARE_SOURCES) $(REQUEST_HEADERS)
	@mkdir -p $(@D)
	$(AMD64_CC) $(REQUEST_FLAGS) $(REQUEST_BARE) -o $@ $(REQUEST_BARE_SOURCES)

build/request/arm64/hallpass-request: $(REQUEST_BARE_SOURCES) $(REQUEST_HEADERS)
	@mkdir -p $(@D)
	$(ARM64_CC) $(REQUEST_FLAGS) $(REQUEST_BARE) -o $@ $(REQUEST_BARE_SOURCES)

build/test/hallpass-request.bare: $(REQUEST_BARE_SOURCES) $(REQUEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(REQUEST_FLAGS) $(REQUEST_BARE) -o $@ $(REQUEST_BARE_SOURCES)

build/test/hallpass-request.asan: $(REQUEST_SOURCES) $(REQUEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(REQUEST_SANITIZE) -o $@ $(REQUEST_SOURCES)

build/test/request_fuzz: tests/targets/request_fuzz.c $(REQUEST_SOURCES) $(REQUEST_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(REQUEST_SANITIZE) -Ihelper -o $@ $(filter-out helper/hallpass-request.c,$(filter %.c,$^))

build/test/exec_errno: tests/targets/exec_errno.c
	@mkdir -p $(@D)
	$(CC) $(REQUEST_WARNINGS) -O1 -g -o $@ $<
