/** Applies files of fixtures, and exports the organization as one. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { applyFixtures, exportFixtures } from '../../contract/admin/fixtures.ts';
import type { BodyInput } from '../../contract/operation.ts';
import { call } from '../api/client.ts';
import { download } from '../api/csv.ts';
import { useOrganization } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Button, Problem, Section } from '../ui/elements.tsx';
import { MiniTable } from '../ui/mini-table.tsx';

type Fixtures = BodyInput<typeof applyFixtures>;

export function FixturesCard() {
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const slug = useOrganization()?.slug ?? 'stockroom';
  const save = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const [{ stringify }, { data }] = await Promise.all([import('yaml'), call(exportFixtures, { query: {} })]);
      download(`${slug}.fixtures.yaml`, stringify(data, { lineWidth: 0 }), 'application/yaml');
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <>
      <Section isCard title="Fixtures">
        <p className="soft">A file with the organizations and records of a test suite. Applying it again changes only what differs.</p>
        <Problem error={problem} />
        <div className="actions card-actions">
          <Button onClick={() => setOpen(true)}>Apply a file</Button>
          <Button icon="download" kind="quiet" onClick={() => void save()}>
            Export
          </Button>
        </div>
      </Section>
      {isOpen && <ApplyDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ApplyDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<{ readonly body?: Fixtures; readonly problem?: unknown }>({});
  const read = async (chosen: File | undefined): Promise<void> => {
    try {
      const [{ parse }, text = ''] = await Promise.all([import('yaml'), chosen?.text()]);
      // The service checks what it is.
      setFile({ body: parse(text) as Fixtures });
    } catch (error) {
      setFile({ problem: error });
    }
  };
  const { body } = file;
  const { data, error } = useQuery({
    queryKey: [applyFixtures.id, 'dry run', body],
    queryFn: () => call(applyFixtures, { body: body as Fixtures, query: { dry_run: true } }),
    enabled: body !== undefined,
    gcTime: 0,
  });
  return (
    <Confirm
      title="Apply fixtures"
      action="Apply"
      isReady={data !== undefined}
      samples={[{ op: applyFixtures, parts: { body: body ?? {}, query: {} } }]}
      onClose={onClose}
    >
      <label className="field">
        <span>File</span>
        <input type="file" accept=".yaml,.yml,.json" onChange={({ target }) => void read(target.files?.[0])} />
      </label>
      <Problem error={file.problem ?? error} />
      {data && (
        <MiniTable
          label="Changes"
          rows={data.data.tenants}
          empty="The file has no organizations"
          columns={[
            { title: 'Organization', render: ({ slug }) => slug },
            { title: 'Created', as: 'number', value: ({ created }) => created },
            { title: 'Changed', as: 'number', value: ({ changed }) => changed },
            { title: 'Unchanged', as: 'number', value: ({ unchanged }) => unchanged },
          ]}
        />
      )}
    </Confirm>
  );
}
