/** Where the value of a setting comes from: errors about it name that place, and show a valid value as it is written there. */

export interface Source {
  readonly name: string;
  /** A hint with a valid value; a list is one of several values. */
  showExample(value: string | readonly string[]): string;
}

const join = (value: string | readonly string[]): string => (typeof value === 'string' ? value : value.join(','));

export const fromFlag = (flag: string): Source => ({ name: flag, showExample: (value) => `For example ${flag} ${join(value)}` });

export const fromVariable = (variable: string): Source => ({
  name: variable,
  showExample: (value) => `For example ${variable}=${join(value)}`,
});

export const fromFile = (path: string, section: string, key: string): Source => ({
  name: `${section}.${key} of ${path}`,
  showExample: (value) => `For example ${JSON.stringify({ [section]: { [key]: value } })}`,
});
