# Everything that is compiled lands in build/. Needs make and a C compiler; the WASM needs node_modules (asc).
CC ?= cc
OBJCOPY ?= objcopy
WARNINGS := -std=gnu11 -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wvla -Wcast-qual -Wwrite-strings -Wundef -Wformat=2 -Wimplicit-fallthrough
BUILD := build
BUN := $(firstword $(wildcard .tools/bin/bun node_modules/.bin/bun) bun)

.PHONY: all lib launcher starter wasm library test-targets sanitize clean
all: lib launcher starter request wasm app man library
	@touch $(BUILD)/.built
lib: $(BUILD)/libhallpass.so
launcher: $(BUILD)/launcher
starter: $(BUILD)/hallpass
wasm: $(BUILD)/policy.wasm
app: $(BUILD)/app/app.js
man: $(BUILD)/hallpass.1
library: $(BUILD)/library/index.js

# --- the C shim that bun:ffi calls
SHIM_SOURCES := $(wildcard ffi/native/*.c)
SHIM_HEADERS := $(wildcard ffi/native/*.h)
SHIM_FLAGS := $(WARNINGS) -O2 -fPIC -shared -fvisibility=hidden -fstack-protector-strong -Wl,-z,relro,-z,now \
	-Wl,-z,noexecstack

$(BUILD)/libhallpass.so: $(SHIM_SOURCES) $(SHIM_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(SHIM_FLAGS) -o $@.tmp $(SHIM_SOURCES)
	@mv $@.tmp $@

# --- launcher and starter: no libc at all, so that they build and run alike wherever there is a compiler
BARE_HEADERS := $(wildcard helper/launcher/*.h) $(SHIM_HEADERS)
BARE_FLAGS := $(WARNINGS) -Os -Iffi/native -ffreestanding -nostdlib -static -fno-pie -no-pie -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fno-builtin -s -Wl,--build-id=none -Wl,-z,noexecstack -Wno-unused-command-line-argument
LAUNCHER_SOURCES := helper/launcher.c $(wildcard helper/launcher/*.c)
STARTER_SOURCES := helper/starter.c helper/launcher/bare.c

$(BUILD)/launcher: $(LAUNCHER_SOURCES) $(BARE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(BARE_FLAGS) -o $@.tmp $(LAUNCHER_SOURCES)
	@mv $@.tmp $@

$(BUILD)/hallpass: $(STARTER_SOURCES) $(BARE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(BARE_FLAGS) -o $@.tmp $(STARTER_SOURCES)
	@mv $@.tmp $@

# --- the same C under the sanitizers, as ordinary programs
SANITIZE := $(WARNINGS) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

sanitize: $(BUILD)/test/shim_test $(BUILD)/test/launcher.asan $(BUILD)/test/hallpass.asan

$(BUILD)/test/shim_test: tests/targets/shim_test.c $(SHIM_SOURCES) $(SHIM_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -Iffi/native -o $@ tests/targets/shim_test.c $(SHIM_SOURCES)

$(BUILD)/test/launcher.asan: $(LAUNCHER_SOURCES) $(BARE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -DHOSTED -Iffi/native -o $@ $(LAUNCHER_SOURCES)

$(BUILD)/test/hallpass.asan: $(STARTER_SOURCES) $(BARE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -DHOSTED -Iffi/native -o $@ $(STARTER_SOURCES)

# --- a session's code in one file for each thread, compiled: it begins in a third of the time (src/app.ts)
APP_SOURCES := $(shell find src ffi policy-wasm -name '*.ts' ! -name '*.test.ts' ! -path 'src/checks/*' ! -path 'policy-wasm/assembly/*') \
	$(wildcard src/policy/groups/*)
BUNDLE := $(BUN) build --target=bun --format=cjs --bytecode --minify-syntax --minify-whitespace --define HALLPASS_BUNDLED=true \
	--external '@opentui/*' --root src --outdir $(BUILD)/app

$(BUILD)/app/app.js: $(APP_SOURCES) Makefile
	@rm -rf $(BUILD)/app
	@mkdir -p $(BUILD)/app
	@printf '%s\n' $(APP_SOURCES) > $(BUILD)/app/sources
	$(BUNDLE) src/supervisor/worker.ts src/supervisor/action-worker.ts src/relay/worker.ts >/dev/null
	$(BUNDLE) src/app.ts >/dev/null

# --- the man page, from the definition of the command line
$(BUILD)/hallpass.1: src/cli/man.ts src/cli/definition.ts src/cli/help.ts package.json
	@mkdir -p $(@D)
	$(BUN) src/cli/man.ts > $@.tmp
	@mv $@.tmp $@

# --- the matcher
WASM_SOURCES := $(shell find policy-wasm/assembly -name '*.ts' 2>/dev/null)

$(BUILD)/policy.wasm: $(WASM_SOURCES)
	@mkdir -p $(@D)
	$(BUN) node_modules/assemblyscript/bin/asc.js policy-wasm/assembly/index.ts --config policy-wasm/asconfig.json \
		--target release --outFile $@ --textFile $(BUILD)/policy.wat

# --- the library of the permission checks, for Node, with its types
LIBRARY_SOURCES := $(shell find src/checks -name '*.ts' 2>/dev/null)

$(BUILD)/library/index.js: $(LIBRARY_SOURCES) package.json
	@mkdir -p $(@D)
	node_modules/.bin/tsc --ignoreConfig --declaration --emitDeclarationOnly --outDir $(@D)/types --rootDir src/checks \
		--module preserve --moduleResolution bundler --target esnext --strict --exactOptionalPropertyTypes \
		--skipLibCheck --allowImportingTsExtensions --resolveJsonModule --types bun-types src/checks/index.ts
	$(BUN) build src/checks/index.ts --target node --outfile $@ >/dev/null

# --- what deploy/server/Dockerfile takes: the commands for permission checks, bundled, and the bun that runs them
$(BUILD)/server/main.js: $(LIBRARY_SOURCES) $(shell find src -name '*.ts' 2>/dev/null) package.json
	@rm -rf $(@D) && mkdir -p $(@D)
	$(BUN) build src/main.ts --target bun --splitting --outdir $(@D) --external '@opentui/core' >/dev/null
	cp -L $(BUN) $(@D)/bun

clean:
	rm -rf $(BUILD)

include helper/request.mk
