package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// fileSuffix is at the end of the variable that names a secret's file.
const fileSuffix = "_FILE"

// Files is a resolver for kong: a secret can also be the content of a file, so that it is in
// no process's environment. The file is named by the secret's variable with _FILE at its end.
func Files() kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if !Secret(flag) {
			return nil, nil
		}
		name := flag.Envs[0] + fileSuffix
		file := os.Getenv(name)
		if file == "" {
			return nil, nil
		}
		if os.Getenv(flag.Envs[0]) != "" {
			return nil, fmt.Errorf("%s, %s: one of them only", flag.Envs[0], name)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		value := strings.TrimSpace(string(text))
		if value == "" {
			return nil, fmt.Errorf("%s: %s is empty", name, file)
		}
		return value, nil
	})
}

// Secret says whether the setting itself is a secret, and not the name of a file with one.
func Secret(flag *kong.Flag) bool {
	return len(flag.Envs) > 0 && strings.Contains(flag.Help, "(secret)") && flag.PlaceHolder != "FILE"
}
