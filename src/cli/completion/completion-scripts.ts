/**
 * Scripts that a shell loads once. They call `gitmoor complete` for each line. Candidates are filtered already and are
 * never evaluated. Without candidates, the shell completes names of files. bash splits words at `=`, `:` and `@`, and
 * replaces only the last part: its script joins the parts of a word, and cuts the earlier ones off the candidates.
 */
export const completionScripts = {
  bash: `# gitmoor: completion for bash. In ~/.bashrc: source <(gitmoor completion bash)
_gitmoor() {
  local line part glued="" last="\${COMP_WORDS[COMP_CWORD]}"
  local -a typed=()
  for part in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ \${#typed[@]} -gt 0 && ( -n $glued || $part == [=:@]* ) ]]; then
      typed[\${#typed[@]}-1]+=$part
    else
      typed+=("$part")
    fi
    if [[ $part == [=:@]* ]]; then glued=1; else glued=""; fi
  done
  if [[ $last == [=:@]* ]]; then last=""; fi
  local current="\${typed[\${#typed[@]}-1]}"
  local cut="\${current%"$last"}"
  COMPREPLY=()
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    COMPREPLY+=("\${line#"$cut"}")
  done < <(gitmoor complete -- "\${typed[@]}" 2>/dev/null)
}
complete -o default -F _gitmoor gitmoor
`,
  zsh: `#compdef gitmoor
# gitmoor: completion for zsh. In ~/.zshrc, after compinit: source <(gitmoor completion zsh)
_gitmoor() {
  local line
  local -a candidates
  while IFS= read -r line; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(gitmoor complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe gitmoor candidates; else _files; fi
}
compdef _gitmoor gitmoor
`,
  fish: `# gitmoor: completion for fish. gitmoor completion fish > ~/.config/fish/completions/gitmoor.fish
function __gitmoor_complete
  set -l typed (commandline --tokenize --cut-at-cursor --current-process) (commandline --current-token --cut-at-cursor)
  gitmoor complete -- $typed[2..-1] 2>/dev/null
end
complete --command gitmoor --arguments '(__gitmoor_complete)'
`,
} as const
