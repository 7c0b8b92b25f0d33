// Plans to use again: what they need, and a form that makes a mission of one.
import { useState, type FormEvent } from "react";
import { useNavigate, useSearchParams } from "react-router";

import { useAction, useWholeList } from "@/api/use-tool";
import type { TemplateSummary } from "@/api/types";
import { useOnline } from "@/live/live-connection";
import { FolderField, FormEnd, Optional } from "@/ui/form";
import { Card } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { plural } from "@/ui/format";
import { filled, given, missing } from "./template-variables";
import "./templates.css";

const KEEP = `mission call template_create '{"name": "…", "from_workflow_id": "m_…"}'`;

export function TemplatesPage() {
  const templates = useWholeList("template_list", {});
  const [address, setAddress] = useSearchParams();
  const all = templates.data?.templates ?? [];
  const chosen = all.find((each) => each.id === address.get("template")) ?? all[0];
  return (
    <div className="page templates">
      <title>Templates · Mission Control</title>
      <div className="page-head">
        <h1>Templates</h1>
        <span className="quiet">plans to use again</span>
      </div>
      <Loaded query={templates} what="The templates could not be read">
        {() =>
          chosen === undefined ? (
            <section className="card">
              <Empty title="No template yet" actions={<code>{KEEP}</code>}>
                A plan worth doing again is kept as a template: by an agent or by you from a mission that went well, or by a repository that
                carries one in .mission/templates. Then it can be applied here.
              </Empty>
            </section>
          ) : (
            <div className="columns">
              <div>
                <Chosen key={chosen.id} template={chosen} />
              </div>
              <div>
                <Card title="Templates" count={all.length}>
                  <ul className="pick lined">
                    {all.map((each) => (
                      <li key={each.id}>
                        <button
                          type="button"
                          aria-pressed={each.id === chosen.id}
                          onClick={() => setAddress({ template: each.id }, { replace: true })}
                        >
                          <strong>{each.name}</strong>
                          <span className="meta">
                            {plural(each.tasks_total, "task")}
                            {each.source !== null && ` · ${each.source}`}
                          </span>
                        </button>
                      </li>
                    ))}
                  </ul>
                </Card>
              </div>
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

function Chosen({ template }: { template: TemplateSummary }) {
  const [values, setValues] = useState<Record<string, string>>({});
  return (
    <>
      <TasksOf template={template} values={values} />
      <Apply template={template} values={values} setValues={setValues} />
    </>
  );
}

function TasksOf({ template, values }: { template: TemplateSummary; values: Record<string, string> }) {
  const words = (text: string) => filled(text, template, values);
  return (
    <Card title={template.name} aside={plural(template.tasks_total, "task")}>
      {template.description !== null && <p className="side-words">{template.description}</p>}
      <ol className="side-list">
        {template.tasks.map((task, index) => (
          <li key={index}>
            <span className="meta">{task.sequence}</span>
            <span>
              {words(task.name)} <span className="meta">{task.depends_on.length > 0 && `after ${task.depends_on.map(words).join(", ")}`}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

interface ApplyProps {
  template: TemplateSummary;
  values: Record<string, string>;
  setValues: (values: Record<string, string>) => void;
}

function Apply({ template, values, setValues }: ApplyProps) {
  const navigate = useNavigate();
  const online = useOnline();
  const apply = useAction("template_apply");
  const [name, setName] = useState("");
  const [folder, setFolder] = useState("");
  const lacking = missing(template, values);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply.mutate(
      {
        template_id: template.id,
        workflow_name: name.trim(),
        variables: given(template, values),
        ...(folder.trim() !== "" ? { repository_path: folder.trim() } : {}),
      },
      { onSuccess: (made) => void navigate(`/missions/${made.workflow_id}`) },
    );
  };
  return (
    <Card title="Make a mission of it">
      <form className="form apply" onSubmit={submit}>
        <label>
          Name of the mission
          <input className="field" value={name} onChange={(event) => setName(event.target.value)} required />
        </label>
        {template.variables.map((variable) => (
          <label key={variable.name}>
            <Optional when={!variable.required}>{variable.name}</Optional>
            <input
              className="field"
              value={values[variable.name] ?? ""}
              required={variable.required && variable.default === null}
              placeholder={variable.default ?? ""}
              onChange={(event) => setValues({ ...values, [variable.name]: event.target.value })}
            />
            {variable.description !== "" && <span className="meta">{variable.description}</span>}
          </label>
        ))}
        <FolderField label={<Optional>Folder of the repository</Optional>} value={folder} change={setFolder} />
        <FormEnd
          act="Start the mission"
          off={!online || apply.isPending || name.trim() === "" || lacking.length > 0}
          error={apply.error}
        />
      </form>
    </Card>
  );
}
