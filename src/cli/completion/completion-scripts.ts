/**
 * Scripts that a shell loads once. They call `gitmoor complete` for each line, with its words without quotes.
 * Candidates are filtered already. The shell quotes them, and never evaluates them. Without candidates, it completes
 * names of files. bash splits words at `=`, `:` and `@`, and replaces only the last part (`$2`): its script joins the
 * parts of a word, cuts the earlier ones off the candidates, and quotes the rest. zsh either sources its script, or
 * calls the file `_gitmoor` of `fpath` as the function `_gitmoor`.
 */
export const completionScripts = {
  bash: `# gitmoor: completion for bash. In ~/.bashrc: source <(gitmoor completion bash)
_gitmoor() {
  local line part glued="" quote="\${COMP_WORDS[COMP_CWORD]:0:1}"
  local quotes=$'["\\'\\\\\\\\]'
  local -a typed=()
  for part in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    part=\${part//$quotes/}
    if [[ \${#typed[@]} -gt 0 && ( -n $glued || $part == [=:@]* ) ]]; then
      typed[\${#typed[@]}-1]+=$part
    else
      typed+=("$part")
    fi
    if [[ $part == [=:@]* ]]; then glued=1; else glued=""; fi
  done
  local current="\${typed[\${#typed[@]}-1]}" replaced="\${2//$quotes/}"
  local cut="\${current%"$replaced"}"
  COMPREPLY=()
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    line="\${line#"$cut"}"
    if [[ $quote == [\\"\\'] ]]; then
      # These would end the quotes, or mean something inside them.
      if [[ $line == *[\\"\\'\\\\\\$\\\`]* ]]; then continue; fi
    elif [[ $line == *[^A-Za-z0-9_./:=@%+,#-]* ]]; then
      printf -v line %q "$line"
    fi
    COMPREPLY+=("$line")
  done < <(gitmoor complete -- "\${typed[@]}" 2>/dev/null)
}
# Before version 4.4, bash sorts the candidates.
complete -o nosort -o default -F _gitmoor gitmoor 2>/dev/null || complete -o default -F _gitmoor gitmoor
`,
  zsh: `#compdef gitmoor
# gitmoor: completion for zsh. In ~/.zshrc, after compinit: source <(gitmoor completion zsh)
# Or as the file _gitmoor in a directory of fpath: gitmoor completion zsh > DIRECTORY/_gitmoor
_gitmoor() {
  local line word about
  local -a candidates
  while IFS= read -r line; do
    word=\${line%%$'\\t'*} about=\${line#*$'\\t'}
    word=\${word//\\\\/\\\\\\\\}
    candidates+=("\${word//:/\\\\:}\${about:+:$about}")
  done < <(gitmoor complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#candidates} )); then
    _describe -V gitmoor candidates
  else
    if [[ $PREFIX == --*=* ]]; then compset -P 1 '*='; fi
    _files
  fi
}
# The first call of an autoloaded function runs its file.
if [[ \${funcstack[1]} == _gitmoor ]]; then _gitmoor "$@"; else compdef _gitmoor gitmoor; fi
`,
  fish: `# gitmoor: completion for fish. gitmoor completion fish > ~/.config/fish/completions/gitmoor.fish
# Or in ~/.config/fish/config.fish: gitmoor completion fish | source
function __gitmoor_complete
  set -l typed
  # Versions before 4 do not have --tokens-expanded.
  if commandline --tokens-expanded >/dev/null 2>&1
    set typed (commandline --tokens-expanded --cut-at-cursor --current-process)
  else
    set typed (commandline --tokenize --cut-at-cursor --current-process)
  end
  set -l token (commandline --current-token --cut-at-cursor)
  # The quote of the word may still be open.
  set -l current (string unescape -- "$token"; or string unescape -- "$token'"; or string unescape -- "$token\\"")
  set -g __gitmoor_candidates (gitmoor complete -- $typed[2..-1] "$current" 2>/dev/null)
  set -q __gitmoor_candidates[1]
end
complete --command gitmoor --condition __gitmoor_complete --no-files --keep-order --arguments '$__gitmoor_candidates'
`,
} as const
