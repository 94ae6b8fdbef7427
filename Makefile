# The front door. Each target is one line; the work is in the scripts of tools/.

PRESET ?= release
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: help build run test unit e2e fuzz bench bench-kube fmt lint clean setup

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build:  ## build build/release/trainyard (another preset: make build PRESET=dev)
	@tools/build $(PRESET)

run:  ## build, start the server if none runs, train examples/ddp-mnist (another: make run EXAMPLE=ddp-env)
	@tools/run $(EXAMPLE)

test:  ## everything: build, unit tests under sanitizers, short fuzzing, end-to-end tests
	@tools/test all

unit:  ## unit tests only (under sanitizers: make unit PRESET=dev or PRESET=tsan)
	@tools/test unit $(PRESET)

e2e:  ## end-to-end tests only (some of them: make e2e ARGS='-k submit')
	@tools/test e2e $(ARGS)

fuzz:  ## try random inputs (one target for longer: make fuzz TARGET=yaml SECONDS=600)
	@tools/fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(TARGET)

bench:  ## measure the server beside the recorded figures of a real Kubernetes API server
	@tools/bench

bench-kube:  ## the same load on a real kube-apiserver with etcd, built once from Go modules (20 minutes)
	@tools/bench-kube

fmt:  ## format the C++ sources in place
	@tools/format

lint:  ## formatting, rooms, clang-tidy, headers that stand alone (quicker: make lint CHANGED=1)
	@tools/lint $(if $(CHANGED),--changed)

clean:  ## remove build/ (downloads in .cache/, .tools/ and .venv/ stay)
	@rm -rf build

setup:  ## install all that the targets above need (they do it themselves, too)
	@tools/setup all
