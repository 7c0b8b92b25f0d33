// The comments on lines that go with the answer to a review.
import { CommentLine } from "../changes/diff-lines";
import type { LineComments } from "../changes/line-comments";

export function CommentsToSend({ comments, sent }: { comments: LineComments; sent: boolean }) {
  if (comments.all.length === 0) return null;
  return (
    <section className="comments-to-send" aria-label="Comments on lines">
      <p className="quiet">
        {sent ? "Sent with your answer:" : "Not sent with this choice. Line comments are sent only with “Send back”:"}
      </p>
      <ul>
        {comments.all.map((comment, index) => (
          <li key={`${index} ${comment.text}`}>
            <CommentLine comment={comment} remove={() => comments.remove(comment)} placed />
          </li>
        ))}
      </ul>
    </section>
  );
}
