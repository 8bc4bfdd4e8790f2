/** A body as text; JSON is indented. */
export function Payload({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className="payload" tabIndex={0} role="group" aria-label={label}>
      {indent(text) || '(empty)'}
    </pre>
  );
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
