// The checks of a mission, its final checks, and the defaults of its repository.
import type { ViewProps } from "../view-props";
import { ChecksEditor } from "./checks-editor";
import "./checks.css";

export function ChecksView({ mission }: ViewProps) {
  return (
    <div className="checks-view">
      <ChecksEditor
        of={{ scope: "mission", id: mission.id }}
        title="Checks for this mission"
        note="Mission Control runs these checks each time a task is reported done. A task is proved once every required check has passed on exactly the tree that was reported."
        repositoryPath={mission.repository_path}
      />
      <ChecksEditor
        of={{ scope: "mission", id: mission.id }}
        list="final_checks"
        title="Final checks for this mission"
        note="A run executes these checks once at the end, on the merged result, in a fresh worktree with a fresh setup."
        repositoryPath={null}
      />
      {mission.repository_path !== null && (
        <ChecksEditor
          of={{ scope: "repository", repository_path: mission.repository_path }}
          title="Repository defaults"
          note="These checks apply to missions that use the repository's checks."
          repositoryPath={null}
        />
      )}
    </div>
  );
}
