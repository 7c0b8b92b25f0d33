// Reusable plans, and a form that creates a mission from one.
import { type FormEvent, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";

import type { TemplateSummary } from "@/api/types";
import { useAction, useWholeList } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { Card } from "@/ui/basics";
import { FolderField, FormFooter, OptionalLabel } from "@/ui/form";
import { plural } from "@/ui/format";
import { Empty, Loaded } from "@/ui/query-states";
import { fillIn, givenVariables, missingVariables } from "./template-variables";
import "./templates.css";

const SAVE = `mission call template_create '{"name": "…", "from_workflow_id": "m_…"}'`;

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
        <span className="quiet">reusable plans</span>
      </div>
      <Loaded query={templates} what="templates">
        {() =>
          chosen === undefined ? (
            <section className="card">
              <Empty title="No templates yet" actions={<code>{SAVE}</code>}>
                Save a mission's plan as a template, or add one to a repository in .mission/templates. You can then
                create missions from it here.
              </Empty>
            </section>
          ) : (
            <div className="columns">
              <div>
                <SelectedTemplate key={chosen.id} template={chosen} />
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

function SelectedTemplate({ template }: { template: TemplateSummary }) {
  const [values, setValues] = useState<Record<string, string>>({});
  return (
    <>
      <TemplateTasks template={template} values={values} />
      <ApplyForm template={template} values={values} setValues={setValues} />
    </>
  );
}

function TemplateTasks({ template, values }: { template: TemplateSummary; values: Record<string, string> }) {
  const words = (text: string) => fillIn(text, template, values);
  return (
    <Card title={template.name} aside={plural(template.tasks_total, "task")}>
      {template.description !== null && <p className="side-words">{template.description}</p>}
      <ol className="side-list">
        {template.tasks.map((task, index) => (
          <li key={index}>
            <span className="meta">{task.sequence}</span>
            <span>
              {words(task.name)}{" "}
              <span className="meta">
                {task.depends_on.length > 0 && `after ${task.depends_on.map(words).join(", ")}`}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

interface ApplyFormProps {
  template: TemplateSummary;
  values: Record<string, string>;
  setValues: (values: Record<string, string>) => void;
}

function ApplyForm({ template, values, setValues }: ApplyFormProps) {
  const navigate = useNavigate();
  const online = useOnline();
  const apply = useAction("template_apply");
  const [name, setName] = useState("");
  const [folder, setFolder] = useState("");
  const lacking = missingVariables(template, values);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply.mutate(
      {
        template_id: template.id,
        workflow_name: name.trim(),
        variables: givenVariables(template, values),
        ...(folder.trim() !== "" ? { repository_path: folder.trim() } : {}),
      },
      { onSuccess: (made) => void navigate(`/missions/${made.workflow_id}`) },
    );
  };
  return (
    <Card title="Create mission">
      <form className="form apply" onSubmit={submit}>
        <label>
          Mission name
          <input className="field" value={name} onChange={(event) => setName(event.target.value)} required />
        </label>
        {template.variables.map((variable) => (
          <label key={variable.name}>
            <OptionalLabel when={!variable.required}>{variable.name}</OptionalLabel>
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
        <FolderField label={<OptionalLabel>Repository folder</OptionalLabel>} value={folder} change={setFolder} />
        <FormFooter
          act="Start mission"
          off={!online || apply.isPending || name.trim() === "" || lacking.length > 0}
          error={apply.error}
        />
      </form>
    </Card>
  );
}
