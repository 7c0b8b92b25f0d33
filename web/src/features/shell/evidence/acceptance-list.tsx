// The acceptance criteria of a task.
export function AcceptanceList({ criteria }: { criteria: readonly string[] }) {
  if (criteria.length === 0) return null;
  return (
    <section className="acceptance">
      <h3>Acceptance criteria</h3>
      <ul className="bullets">
        {criteria.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
