/** Applies files of fixtures, and exports the organization as one. */
import { useMutation } from '@tanstack/react-query';
import { applyFixtures, exportFixtures } from '../../contract/admin/fixtures.ts';
import { call, download, useAccess, useDryRun, useOrganization } from '../api/index.ts';
import { Button, Confirm, DialogButton, Labeled, MiniTable, Problem, Section } from '../ui/index.ts';

export function FixturesCard() {
  const slug = useOrganization()?.slug ?? 'stockroom';
  const { can } = useAccess();
  const { mutate, error } = useMutation({
    mutationFn: async () => {
      const [{ stringify }, { data }] = await Promise.all([import('yaml'), call(exportFixtures, { query: {} })]);
      download(`${slug}.fixtures.yaml`, stringify(data, { lineWidth: 0 }), 'application/yaml');
    },
  });
  if (!can(exportFixtures)) return null;
  return (
    <Section isCard title="Fixtures">
      <p className="text-soft">A file with the organizations and records of a test suite. Applying it again changes only what differs.</p>
      <Problem error={error} />
      <div className="actions mt-3">
        <DialogButton label="Apply a file" op={applyFixtures}>
          {(close) => <ApplyDialog onClose={close} />}
        </DialogButton>
        <Button icon="download" kind="quiet" op={exportFixtures} onClick={mutate}>
          Export
        </Button>
      </div>
    </Section>
  );
}

function ApplyDialog({ onClose }: { readonly onClose: () => void }) {
  const file = useMutation({
    // The service checks what it is.
    mutationFn: async (chosen: File) => (await import('yaml')).parse(await chosen.text()) as unknown,
  });
  const parts = { body: file.data, query: {} };
  const { data, error } = useDryRun(applyFixtures, parts, file.isSuccess);
  const isReady = file.isSuccess && !error && data !== undefined;
  return (
    <Confirm title="Apply fixtures" action="Apply" isReady={isReady} sample={{ op: applyFixtures, parts }} onClose={onClose}>
      <Labeled label="File">
        <input
          type="file"
          accept=".yaml,.yml,.json"
          onChange={({ target: { files } }) => {
            if (files?.[0]) file.mutate(files[0]);
          }}
        />
      </Labeled>
      <Problem error={file.error ?? error} />
      {isReady && (
        <MiniTable
          label="Changes"
          rows={data.data.tenants}
          empty="The file has no organizations"
          columns={[
            { title: 'Organization', value: 'slug' },
            { title: 'Created', as: 'number', value: 'created' },
            { title: 'Changed', as: 'number', value: 'changed' },
            { title: 'Unchanged', as: 'number', value: 'unchanged' },
          ]}
        />
      )}
    </Confirm>
  );
}
