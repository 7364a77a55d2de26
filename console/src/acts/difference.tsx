import { Facts } from "../parts/facts.tsx";
import { textOf } from "../parts/text-of.ts";

/** Two versions of a resource. */
type Fields = Readonly<Record<string, unknown>>;

/** The fields that a change would set or change; without a version before, all of them. */
export function Difference(props: { readonly before?: Fields; readonly after: Fields }) {
  const { before, after } = props;
  if (!before)
    return <Facts facts={Object.entries(after).map(([name, value]) => [name, textOf(value)])} />;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => textOf(before[name]) !== textOf(after[name]));
  if (changed.length === 0) return <p>Nothing would change.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Now</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{textOf(before[name]) || "—"}</td>
            <td>{textOf(after[name]) || "—"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
