# make         set up, build everything, print the footprint, pair the emulated board with the real phone
# make test    set up, build everything, run every test; ends with `N passed, N failed`
# make fix     format and fix what the linters can fix
# VERBOSE=1 shows the output of every step as it runs.

BUILD := build
STEP := scripts/step.sh
export PATH := $(CURDIR)/build/node/node_modules/.bin:$(CURDIR)/node_modules/.bin:$(PATH)

core_sources := $(shell find assembly -name '*.ts' -not -path 'assembly/tests/*') assembly/abi.json scripts/build-core.ts
host_sources := $(shell find host/src interop/src footprint/src -name '*.ts') scripts/build-host.ts
phone_sources := $(shell find interop/phone -name '*.rs' -o -name '*.c' -o -name 'Cargo.*')

.PHONY: all setup build firmware test fix clean main-job
.DEFAULT_GOAL := all

all: build
	@tsx scripts/main-job.ts

build: $(BUILD)/core/leaf.wasm $(BUILD)/core/member.wasm firmware $(BUILD)/offleaf.mjs $(BUILD)/phone/offleaf-phone

setup:
	@scripts/setup.sh

$(BUILD)/core/leaf.wasm $(BUILD)/core/member.wasm &: $(core_sources) package-lock.json | setup
	@$(STEP) "build core" "fix the source that the compiler names, then run make again" tsx scripts/build-core.ts leaf member

firmware: $(BUILD)/core/leaf.wasm | setup
	@$(STEP) "build firmware" "make -C firmware shows every command with V=1" $(MAKE) --no-print-directory -C firmware BOARD=an505 CORE=$(CURDIR)/$(BUILD)/core/leaf.wasm BUILD=$(CURDIR)/$(BUILD)

$(BUILD)/offleaf.mjs: $(host_sources) package-lock.json | setup
	@$(STEP) "build host" "npx tsc -p . names the fault" tsx scripts/build-host.ts

$(BUILD)/phone/offleaf-phone: $(phone_sources) | setup
	@$(STEP) "build phone" "see interop/phone/README.md; cargo needs its registry once" interop/phone/build.sh

test: build
	@tsx scripts/test.ts

fix: | setup
	@prettier --write --log-level=warn .
	@eslint --fix .

clean:
	rm -rf $(BUILD)
