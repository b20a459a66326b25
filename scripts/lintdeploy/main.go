// Command lintdeploy reads what is in deploy/ as those would who it is for: Kubernetes
// manifests strictly into the types of Kubernetes' own API, compose files and Dockerfiles by
// the libraries of compose and of docker build. Unlike their tools it needs no cluster, no
// daemon and no network.
//
// It is a module of its own, so that what it needs is no dependency of the product.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: lintdeploy FILE...")
		os.Exit(2)
	}
	var errs []error
	for _, file := range os.Args[1:] {
		if err := lint(file); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func lint(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	switch {
	case filepath.Ext(file) == "":
		return dockerfile(text)
	case bytes.Contains(text, []byte("\nkind: ")):
		return manifests(text)
	}
	return compose(file)
}

// manifests decodes each document of a file; a field that its kind does not have is an error.
func manifests(text []byte) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, _, err = decoder.Decode(document, nil, nil)
		}
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
	}
}

// compose reads the file as `docker compose config` does, references and all.
func compose(file string) error {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithoutEnvironmentResolution)
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	for name, secret := range project.Secrets {
		if !strings.Contains(secret.File, "/secrets/") {
			return fmt.Errorf("secret %s is not a file in secrets/, which git ignores", name)
		}
	}
	return nil
}

// dockerfile parses the file as docker build does. What it copies out of the context, the
// working directory, has to be there, and who runs the last stage is not root.
func dockerfile(text []byte) error {
	result, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return err
	}
	var errs []error
	for _, w := range result.Warnings {
		errs = append(errs, errors.New(w.Short))
	}
	rules := linter.New(&linter.Config{Warn: func(rule, _, _, message string, at []parser.Range) {
		errs = append(errs, fmt.Errorf("line %d: %s: %s", at[0].Start.Line, rule, message))
	}})
	stages, _, err := instructions.Parse(result.AST, rules)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	named := make(map[string]bool)
	user := ""
	for _, stage := range stages {
		user = ""
		for _, command := range stage.Commands {
			switch c := command.(type) {
			case *instructions.UserCommand:
				user = c.User
			case *instructions.CopyCommand:
				switch {
				case c.From == "":
					for _, source := range c.SourcePaths {
						if found, err := filepath.Glob(source); err != nil || len(found) == 0 {
							errs = append(errs, fmt.Errorf("line %d: there is no %s to copy", c.Location()[0].Start.Line, source))
						}
					}
				case !named[c.From] && !strings.Contains(c.From, ":"):
					errs = append(errs, fmt.Errorf("line %d: no stage before is called %s", c.Location()[0].Start.Line, c.From))
				}
			}
		}
		named[stage.Name] = true
	}
	if user == "" || strings.HasPrefix(user, "0") || strings.HasPrefix(user, "root") {
		errs = append(errs, fmt.Errorf("the last stage runs as %q", user))
	}
	return errors.Join(errs...)
}
