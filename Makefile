# The front door. Each target is one line; the work is in the scripts of tools/.

PRESET ?= release
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: help build run test test-long unit e2e fuzz soak bench bench-console bench-kube pictures docs horovod frameworks package \
	test-package fmt lint clean setup

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build:  ## build build/release/trainyard (another preset: make build PRESET=dev)
	@tools/build $(PRESET)

run:  ## build, start the server if none runs, train examples/ddp-mnist (another: make run EXAMPLE=ddp-env)
	@tools/run $(EXAMPLE)

test:  ## everything: build, unit tests under sanitizers, short fuzzing, end-to-end tests
	@tools/test all

test-long:  ## by hand or at night, hours: random inputs for ten minutes a target, an hour of training without an alarm
	@tools/test long

unit:  ## unit tests only (under sanitizers: make unit PRESET=dev or PRESET=tsan)
	@tools/test unit $(PRESET)

e2e:  ## end-to-end tests only (some of them: make e2e ARGS='-k submit')
	@tools/test e2e $(ARGS)

fuzz:  ## try random inputs (one target for longer: make fuzz TARGET=yaml SECONDS=600)
	@tools/fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(TARGET)

soak:  ## an hour of healthy training in bursts must raise no alarm (shorter: make soak MINUTES=10)
	@TRAINYARD_SOAK_MINUTES=$(or $(MINUTES),60) tools/test e2e -k healthy_job_with_bursts

bench:  ## measure the server beside the recorded figures of a real Kubernetes API server
	@tools/bench

bench-console:  ## measure the web console in Chromium: sizes, first page, 10,000 jobs that change
	@tools/bench-console

bench-kube:  ## the same load on a real kube-apiserver with etcd, built once from Go modules (20 minutes)
	@tools/bench-kube

pictures:  ## take the pictures in docs/pictures anew: the console's, and the moving one of the README
	@.venv/bin/python tools/moving_picture.py
	@.venv/bin/python tools/pictures.py

docs:  ## build the documents into build/docs, and write down anew what the commands say of themselves
	@tools/docs reference

horovod:  ## build Horovod into .venv, for MPIJobs that train with torch (5 minutes the first time)
	@tools/setup horovod

frameworks:  ## install TensorFlow and XGBoost into .cache/frameworks, for their samples in the console and the tests of these
	@tools/setup frameworks

package:  ## build what people install in build/package: a .deb, a tarball with its script, a Python wheel, signed
	@tools/package

test-package:  ## install each on machines with nothing but the base of Debian 12 and 13, and train there
	@tools/test-package

fmt:  ## format the C++ sources in place
	@tools/format

lint:  ## formatting, rooms, clang-tidy, headers that stand alone (quicker: make lint CHANGED=1)
	@tools/lint $(if $(CHANGED),--changed)

clean:  ## remove build/ (downloads in .cache/, .tools/ and .venv/ stay)
	@rm -rf build

setup:  ## install all that the targets above need (they do it themselves, too)
	@tools/setup all
