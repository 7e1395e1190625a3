/** HTML names of characters that occur in passwords, by position: from the space, and from the no-break space. */
const ascii =
  '_ excl quot num dollar percnt amp apos lpar rpar ast plus comma _ period sol _ _ _ _ _ _ _ _ _ _ colon semi lt ' +
  'equals gt quest commat'
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
  'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest agrave aacute acirc atilde auml aring aelig ' +
  'ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml times ' +
  'oslash ugrave uacute ucirc uuml yacute thorn szlig'
const others: Readonly<Record<string, string>> = {
  tab: '\t',
  newline: '\n',
  midast: '*',
  lsqb: '[',
  lbrack: '[',
  bsol: '\\',
  rsqb: ']',
  rbrack: ']',
  hat: '^',
  lowbar: '_',
  underbar: '_',
  grave: '`',
  diacriticalgrave: '`',
  lcub: '{',
  lbrace: '{',
  verbar: '|',
  vert: '|',
  verticalline: '|',
  rcub: '}',
  rbrace: '}',
}

/** The character code of an HTML entity, by its lowercase name. If two letters differ only in case, one of them. */
export const htmlEntities: ReadonlyMap<string, number> = new Map([
  ...ascii.split(' ').map((name, at): [string, number] => [name, 0x20 + at]),
  ...latin.split(' ').map((name, at): [string, number] => [name, 0xa0 + at]),
  ...Object.entries(others).map(([name, character]): [string, number] => [name, character.charCodeAt(0)]),
])
