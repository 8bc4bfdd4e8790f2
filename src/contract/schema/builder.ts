/**
 * The schema builder: one definition gives the TypeScript type (`Infer`), the joi schema (`joi.ts`) and the JSON Schema (`json-schema.ts`).
 * Schemas are plain data, so that programs that only need names and enum values never load a validator.
 */
import { QUERY_VALUES_MAX } from '../limits.ts';
import type { RecordKind } from './record-kinds.ts';
import { MULTIPLE_LINES, ONE_LINE } from './text.ts';

declare const out: unique symbol;
declare const input: unique symbol;

interface Meta {
  readonly description?: string;
  readonly example?: unknown;
  /** Name under `components/schemas` in the published documents. */
  readonly name?: string;
  readonly nullable?: true;
  readonly optional?: true;
  readonly default?: unknown;
  /** Replaces the default in a request with the parameter `cursor`; null for no value. */
  readonly defaultWithCursor?: string | null;
  /** Extends the given contract; marked `x-extension` in the published documents. */
  readonly extension?: true;
  /** The kind of record that an id refers to. Commands also accept the natural names of such records; the API accepts ids only. */
  readonly refersTo?: RecordKind;
}

/** Formats that a pattern cannot express. Checked by joi and by the JSON Schema `format`. */
export type StringFormat = 'uuid' | 'date' | 'date-time';

export interface StringSpec extends Meta {
  readonly kind: 'string';
  readonly format?: StringFormat;
  /** Source of a regular expression with the `u` flag; `hint` describes valid values for error messages. */
  readonly pattern?: string;
  readonly hint?: string;
  /** In code points. */
  readonly min?: number;
  readonly max?: number;
}
export interface NumberSpec extends Meta {
  readonly kind: 'number';
  readonly integer?: true;
  readonly min?: number;
  readonly max?: number;
  /** Exclusive lower bound. */
  readonly above?: number;
  /** Exclusive upper bound. */
  readonly below?: number;
}
export interface BooleanSpec extends Meta {
  readonly kind: 'boolean';
}
export interface EnumSpec extends Meta {
  readonly kind: 'enum';
  readonly values: readonly string[];
  /** Those of the values that extend the given contract. */
  readonly extensionValues?: readonly string[];
}
export interface ArraySpec extends Meta {
  readonly kind: 'array';
  readonly items: AnySchema;
  readonly min?: number;
  readonly max?: number;
  readonly unique?: true;
  /** Query parameter with values joined by commas. */
  readonly csv?: true;
}
export interface ObjectSpec extends Meta {
  readonly kind: 'object';
  readonly properties: Shape;
}
/** An object with arbitrary keys. */
export interface MapSpec extends Meta {
  readonly kind: 'map';
  readonly values: AnySchema;
  readonly maxKeys?: number;
  readonly maxKeyChars?: number;
}
/** Any JSON value. */
export interface JsonSpec extends Meta {
  readonly kind: 'json';
}
type Spec = StringSpec | NumberSpec | BooleanSpec | EnumSpec | ArraySpec | ObjectSpec | MapSpec | JsonSpec;

/** Carries the types of a schema. These are interfaces so that emitted declarations can refer to them by name. */
export interface Typed<Out, In> {
  readonly [out]?: Out;
  readonly [input]?: In;
}
/** `Out` is the type after validation, with defaults applied; `In` is the type that a client may send. */
export type Schema<Out, In = Out> = Spec & Typed<Out, In>;
export type AnySchema = Spec;
export type Shape = { readonly [key: string]: AnySchema };

/** The type of a validated value. */
export type Infer<S> = S extends { readonly [out]?: infer T } ? T : never;
/** The type that a client sends: fields with a default are optional. */
export type Input<S> = S extends { readonly [input]?: infer T } ? T : never;

declare const absent: unique symbol;
declare const defaulted: unique symbol;
declare const extending: unique symbol;
declare const given: unique symbol;
export interface MayBeAbsent {
  readonly [absent]?: true;
}
export interface HasDefault {
  readonly [defaulted]?: true;
}
export interface IsExtension {
  readonly [extending]?: true;
}
/** An enum with values that extend the given contract; `Given` are the others. */
export interface HasExtensionValues<Given> {
  readonly [given]?: Given;
}
type Opt<S> = S & MayBeAbsent;
type Def<S> = S & HasDefault;
type IsOpt<S> = typeof absent extends keyof S ? true : false;
type IsDef<S> = typeof defaulted extends keyof S ? true : false;
/** What an object has besides the schema of a field. */
export type Flags<S> = (IsOpt<S> extends true ? MayBeAbsent : unknown) & (IsDef<S> extends true ? HasDefault : unknown);
/** The values of an enum that are part of the given contract, if others extend it. */
export type GivenValues<S> = typeof given extends keyof S ? (S extends HasExtensionValues<infer V> ? V : never) : never;
/** The names of the fields that are part of the given contract. */
export type GivenFields<P> = { [K in keyof P]: typeof extending extends keyof P[K] ? never : K }[keyof P];

/** Flattens the type, so that the compiler displays its fields. */
type Flat<T> = T extends infer U ? { [K in keyof U]: U[K] } : never;
type ObjectOut<P> = Flat<
  { [K in keyof P as IsOpt<P[K]> extends true ? never : K]: Infer<P[K]> } & {
    [K in keyof P as IsOpt<P[K]> extends true ? K : never]?: Infer<P[K]>;
  }
>;
type ObjectIn<P> = Flat<
  { [K in keyof P as IsOpt<P[K]> extends true ? never : IsDef<P[K]> extends true ? never : K]: Input<P[K]> } & {
    [K in keyof P as IsOpt<P[K]> extends true ? K : IsDef<P[K]> extends true ? K : never]?: Input<P[K]>;
  }
>;
export interface ObjectSchema<P extends Shape = Shape> extends ObjectSpec, Typed<ObjectOut<P>, ObjectIn<P>> {
  readonly properties: P;
}
export interface ArraySchema<S extends AnySchema> extends ArraySpec, Typed<readonly Infer<S>[], readonly Input<S>[]> {
  readonly items: S;
}
export interface CsvSchema<S extends AnySchema> extends ArraySpec, Typed<readonly Infer<S>[], string | readonly Infer<S>[]> {
  readonly items: S;
}
type ReturnedShape<P extends Shape> = { readonly [K in keyof P]: Schema<Exclude<Infer<P[K]>, undefined>> };
type PartialShape<P extends Shape> = { readonly [K in keyof P]: Opt<P[K]> };

type Text = Schema<string> & StringSpec;
type Num = Schema<number> & NumberSpec;
type StringLimits = Pick<StringSpec, 'min' | 'max' | 'pattern' | 'hint'>;
type NumberLimits = Pick<NumberSpec, 'min' | 'max' | 'above' | 'below'>;

const LINE_HINT = 'one line without control characters and directional overrides';
const MULTILINE_HINT = 'text without control characters and directional overrides';

const { MAX_SAFE_INTEGER } = Number;

export const t = {
  /** A string with exactly the given limits. */
  string: (limits: StringLimits = {}): Text => ({ kind: 'string', ...limits }),
  /** A line of 1 to `max` characters. */
  line: (max: number): Text => ({ kind: 'string', min: 1, max, pattern: ONE_LINE, hint: LINE_HINT }),
  /** A line of 0 to `max` characters. */
  lineOrEmpty: (max: number): Text => ({ kind: 'string', max, pattern: ONE_LINE, hint: LINE_HINT }),
  /** Text of 0 to `max` characters on any number of lines. */
  multiline: (max: number): Text => ({ kind: 'string', max, pattern: MULTIPLE_LINES, hint: MULTILINE_HINT }),
  uuid: (): Text => ({ kind: 'string', format: 'uuid' }),
  /** The id of a record of this kind, in a request. */
  id: (refersTo: RecordKind): Text => ({ kind: 'string', format: 'uuid', refersTo }),
  date: (): Text => ({ kind: 'string', format: 'date' }),
  timestamp: (): Text => ({ kind: 'string', format: 'date-time' }),
  int: (limits: NumberLimits = {}): Num => ({ kind: 'number', integer: true, min: -MAX_SAFE_INTEGER, max: MAX_SAFE_INTEGER, ...limits }),
  number: (limits: NumberLimits = {}): Num => ({ kind: 'number', ...limits }),
  bool: (): Schema<boolean> & BooleanSpec => ({ kind: 'boolean' }),
  enums: <const V extends readonly string[]>(values: V): Schema<V[number]> & EnumSpec => ({ kind: 'enum', values }),
  /** Values of which some extend the given contract. */
  extendedEnums: <const V extends readonly string[], const X extends V[number]>(
    values: V,
    extensionValues: readonly X[],
  ): Schema<V[number]> & EnumSpec & HasExtensionValues<Exclude<V[number], X>> => ({ kind: 'enum', values, extensionValues }),
  array: <S extends AnySchema>(items: S, limits: Pick<ArraySpec, 'min' | 'max' | 'unique'> = {}): ArraySchema<S> => ({
    kind: 'array',
    items,
    ...limits,
  }),
  /** Query parameter with one or more values joined by commas. */
  csv: <S extends AnySchema>(items: S): CsvSchema<S> => ({
    kind: 'array',
    items,
    min: 1,
    max: QUERY_VALUES_MAX,
    csv: true,
  }),
  object: <const P extends Shape>(properties: P): ObjectSchema<P> => ({ kind: 'object', properties }),
  /** An object that is a component of the published documents, with this name. */
  component: <const P extends Shape>(name: string, properties: P): ObjectSchema<P> => ({ kind: 'object', properties, name }),
  map: <S extends AnySchema>(
    values: S,
    limits: Pick<MapSpec, 'maxKeys' | 'maxKeyChars'> = {},
  ): Schema<Readonly<Record<string, Infer<S>>>> & MapSpec => ({ kind: 'map', values, ...limits }),
  json: (): Schema<unknown> & JsonSpec => ({ kind: 'json' }),

  nullable: <S extends AnySchema>(schema: S): Schema<Infer<S> | null, Input<S> | null> => ({ ...schema, nullable: true }),
  optional: <S extends AnySchema>(schema: S): Opt<S> => ({ ...schema, optional: true }) as Opt<S>,
  /** Optional in requests, always present after validation. */
  withDefault: <S extends AnySchema>(schema: S, value: Infer<S>): Def<S> => ({ ...schema, optional: true, default: value }) as Def<S>,
  /** Makes every field optional and removes defaults: the body of a PATCH, where omitted fields are unchanged. */
  partial: <P extends Shape>(schema: ObjectSchema<P>): ObjectSchema<PartialShape<P>> => ({
    kind: 'object',
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([key, field]) => [key, { ...field, optional: true, default: undefined }]),
      // The compiler cannot infer the mapped type through Object.entries.
    ) as PartialShape<P>,
  }),
  /** The fields of a request body as responses return them: always present, without limits, defaults and descriptions. */
  returnedFields: <P extends Shape>({ properties }: ObjectSchema<P>): ReturnedShape<P> =>
    Object.fromEntries(
      Object.entries(properties).map(([key, field]) => [key, toReturned(field)]),
      // As in `partial`.
    ) as ReturnedShape<P>,
  /** Marks a field as an extension of the given contract. */
  extension: <S extends AnySchema>(schema: S): S & IsExtension => ({ ...schema, extension: true }) as S & IsExtension,
  /** Adds a description, an example, a component name or the kind of record that it refers to. */
  annotate: <S extends AnySchema>(
    schema: S,
    meta: Pick<Meta, 'description' | 'example' | 'name' | 'refersTo' | 'defaultWithCursor'>,
  ): S => ({
    ...schema,
    ...meta,
  }),
};

/** Adds a description. */
export const describe = <S extends AnySchema>(schema: S, description: string): S => t.annotate(schema, { description });

/** Values, strings and numbers of the same kind, without anything that only requests need. */
function toReturned(schema: AnySchema): AnySchema {
  const nullable = schema.nullable ? { nullable: true as const } : {};
  switch (schema.kind) {
    case 'string':
      return { kind: 'string', ...(schema.format === undefined ? {} : { format: schema.format }), ...nullable };
    case 'number':
      return { ...(schema.integer ? t.int() : t.number()), ...nullable };
    case 'boolean':
      return { kind: 'boolean', ...nullable };
    case 'enum':
      return { kind: 'enum', values: schema.values, ...nullable };
    case 'array':
    case 'object':
    case 'map':
    case 'json':
      throw new Error(`a returned field cannot be derived from a field of kind ${schema.kind}`);
  }
}
