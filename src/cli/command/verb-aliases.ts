/** Words for the last word of a command that people know from other command lines. The build adds them to the manifest. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  get: ['show', 'view'],
  show: ['get', 'view'],
  delete: ['rm'],
  remove: ['rm'],
};

/** `items:get` → `items:show`, `items:view`. `isCommand`: whether a command has the name. */
export function listVerbAliases(id: string, isCommand: (id: string) => boolean): string[] {
  const at = id.lastIndexOf(':') + 1;
  const verb = id.slice(at);
  // A verb without a topic is a command of its own.
  const words = at === 0 || !Object.hasOwn(WORDS, verb) ? [] : (WORDS[verb] ?? []);
  return words.map((word) => id.slice(0, at) + word).filter((name) => !isCommand(name));
}
