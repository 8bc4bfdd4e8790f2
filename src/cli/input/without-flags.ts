/** The command line without some flags, to pass the rest to another command. */
export function withoutFlags(argv: readonly string[], booleans: readonly string[], withValue: readonly string[]): string[] {
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at] ?? '';
    const [name = ''] = token.slice(2).split('=');
    if (!token.startsWith('--') || !(booleans.includes(name) || withValue.includes(name))) rest.push(token);
    else if (withValue.includes(name) && !token.includes('=')) at += 1;
  }
  return rest;
}
