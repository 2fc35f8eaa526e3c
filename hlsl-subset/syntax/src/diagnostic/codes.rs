//! The table of all diagnostic codes, with the text of `fuseline explain`.
//!
//! A row is: number, name, severity, title, explanation; then, where Microsoft's compilers have warnings that mean the same, their
//! numbers, so that `#pragma warning(disable: 3206)` works. Groups: F00xx source and preprocessor, F01xx lexer and
//! grammar, F02xx names and types, F03xx expressions and calls, F04xx statements, F05xx semantics, signatures,
//! constant layout and profiles, F06xx limits of code generation, F1xxx warnings and notes. A number is never reused.

use super::Severity;

macro_rules! codes {
    ($($number:ident $name:ident $severity:ident $title:literal $explanation:literal $(fxc $($fxc:literal),+)?;)*) => {
        /// What kind of thing a diagnostic says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// All codes, by number.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// The number, as `F0042`.
            pub fn number(self) -> &'static str {
                match self { $(Code::$name => stringify!($number),)* }
            }

            /// The name, as `IncludeNotFound`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => stringify!($name),)* }
            }

            /// How bad it is unless somebody changes it.
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)* }
            }

            /// The kind in one sentence.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }

            /// The kind at length, with an example.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => $explanation,)* }
            }

            /// Numbers of Microsoft's compilers for the same thing.
            pub fn fxc_numbers(self) -> &'static [u32] {
                match self { $(Code::$name => &[$($($fxc),+)?],)* }
            }
        }
    };
}

codes! {
    // F00xx: source and preprocessor.

    F0001 SourceTooLarge Error "The source text is too large."
"All files of a shader together, each inclusion counted, may have 256 MiB. Mostly a file that includes itself, or a
binary file given for a shader, is behind this.";

    F0002 IncludeNotFound Error "An included file was not found."
"The file named by #include is neither beside the file that includes it nor in one of the include folders. For
    #include \"lights.hlsli\"
the folder of the including file is searched first, then those of -I in their order; <lights.hlsli> leaves out the
first step.";

    F0003 IncludeUnreadable Error "An included file could not be read."
"The file named by #include exists but cannot be read. The message says why.";

    F0004 IncludeTooDeep Error "Files include each other without end."
"Includes may be nested 200 deep, and 10,000 times in all. Mostly a file includes itself, directly or through another:
    // a.hlsli
    #include \"a.hlsli\"
Put `#pragma once` at its top.";

    F0005 BadInclude Error "An #include without a file name."
"After #include stands \"name\" or <name>, or a macro that gives one of these:
    #define COMMON \"common.hlsli\"
    #include COMMON";

    F0006 UnknownDirective Error "A preprocessor directive that does not exist."
"The directives are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #line, #error, #warning and
#pragma.";

    F0007 BadDirective Error "A directive lacks what must follow it."
"A directive stands on a line of its own with its operands, as in
    #define NAME
    #undef NAME
    #ifdef NAME";

    F0008 UnterminatedConditional Error "A conditional has no #endif."
"Each #if, #ifdef and #ifndef needs an #endif in the same file:
    #ifdef SKINNED
    …
    #endif";

    F0009 UnmatchedConditional Error "An #elif, #else or #endif that belongs to no #if."
"#elif, #else and #endif belong to an #if, #ifdef or #ifndef above them in the same file; after #else only #endif may
come.";

    F0010 BadCondition Error "The condition of an #if or #elif is wrong."
"A condition is an integer expression of literals, macros, `defined(NAME)` and the operators of C; other names count 0:
    #if defined(BONES) && BONES > 4";

    F0011 ErrorDirective Error "An #error was reached."
"The shader's author asks for an error here, mostly because a macro that must be defined is not. Macros are defined
with -D NAME=VALUE.";

    F0012 BadMacroDefinition Error "A macro definition is wrong."
"A macro is `#define NAME text` or `#define NAME(a, b) text`. Parameters have different names, `...` comes last, `#`
stands before a parameter, and `##` between two pieces of text.";

    F0013 MacroArguments Error "A macro is given too many or too few arguments."
"A macro with parameters takes as many arguments as it has parameters; commas inside parentheses do not count:
    #define LERP(a, b) lerp(a, b, 0.5)
    LERP(x)            // too few";

    F0014 UnterminatedMacroCall Error "The argument list of a macro is not closed."
"The arguments of a macro end with a closing parenthesis, which must come before the end of the file.";

    F0016 ExpansionTooLarge Error "Macros expand without measure."
"The expansion of macros may give 4,000,000 tokens in all, and arguments may be nested 200 deep. Macros that
double their text a few dozen times reach any limit.";

    F0017 BadLine Error "A #line is wrong."
"After #line stands a line number, then perhaps a file name:
    #line 100 \"generated.fx\"";

    F0018 BadPragma Error "A #pragma that is known has wrong operands."
"For example, pack_matrix takes row_major or column_major:
    #pragma pack_matrix(row_major)";

    F0019 ConditionalTooDeep Error "Conditionals or a condition are nested too deep."
"Parentheses and operators of a condition may be nested 200 deep.";

    // F01xx: lexer and grammar.

    F0101 UnknownCharacter Error "A character that HLSL does not have."
"Outside of comments and strings HLSL consists of ASCII letters, digits and operators. Invisible characters, typographic
quotes and dashes mostly come from a web page or a word processor.";

    F0102 UnterminatedComment Error "A comment is not closed."
"A comment that begins with /* ends with */. Comments do not nest.";

    F0103 UnterminatedString Error "A string or character is not closed."
"A string begins and ends with \" on one line.";

    F0104 BadNumber Error "A number is wrong."
"Numbers are written as 1, 0x1F, 017, 1.5, .5, 1e-3, with the suffixes u and l for integers, f, h and l for floats.
    1.5q     // no such suffix
    089      // 8 and 9 are no octal digits";

    F0105 NumberTooLarge Error "A number is too large."
"An integer has to fit 64 bits, a float the range of `float`, which ends near 3.4e38; 1.#INF is infinity.";

    F0106 BadEscape Error "An escape in a string or character is wrong."
"Escapes are \\n \\t \\r \\a \\b \\f \\v \\0 \\\\ \\\" \\' \\? and \\x with hexadecimal, or a backslash with octal digits.";

    F0110 SyntaxError Error "The text does not follow the grammar."
"What was found cannot stand in this place; the message says what can. The cause is often just before it: a forgotten
operator, comma or bracket, or a name whose declaration is missing.";

    F0111 UnmatchedBracket Error "A bracket has no partner."
"Each (, [ and { needs its ), ] and }. The message points to where the partner is missing, and to the bracket that is
left open:
    float4 main() : SV_Position
    {
        return 0;
    // expected `}` before the end of the file";

    F0112 MissingSemicolon Error "A semicolon is missing."
"Statements, variables, prototypes and structs end with a semicolon; so does the brace of a struct, though not those of
a function or cbuffer:
    struct VSOut { float4 position : SV_Position; };
                                                 ^";

    F0113 NotHlsl Error "Something of C or C++ that HLSL does not have."
"HLSL has no pointers, references, goto, exceptions, unions, allocation or access rights. Parameters that a function
changes are written `inout` or `out`:
    void push(inout float3 p) { p.z += 1; }";

    F0114 NestedTooDeep Error "An expression, statement or type is nested too deep."
"Parentheses that mean something, calls, blocks and the like may be nested 256 deep; chains like a + b + c may have
512 links. Split what is larger with variables or functions. (if … else if … may be as long as you like.)";

    F0115 MisspeltKeyword Error "A keyword is misspelt."
"The name means nothing, begins a statement or declaration, and is almost a keyword. The rest is read as if the keyword stood
there.";

    F0116 BitField Error "Bit fields are not supported."
"A member of a struct cannot have a width in bits. Use a `uint` with shifts and masks.";

    F0117 TooManySyntaxErrors Error "There are too many syntax errors."
"After 20 syntax errors the rest of the file is not looked at. A file that is no HLSL at all, or a macro or include that is
missing, may be behind it.";

    // F02xx: names and types.

    F0201 UnknownName Error "A name that is not declared."
"Variables and functions are declared before they are used, in the same block, one around it, or at file scope:
    float4 main(float4 p : POSITION) : SV_Position { return p * scael; }    // `scale` is meant";

    F0202 UnknownType Error "A type that does not exist."
"A struct or typedef has to stand above its first use. Built-in types are written like `float3`, `float4x4`, `uint2`.";

    F0203 Redefinition Error "A name is declared twice in the same scope."
"Each name stands for one thing in a scope; functions may share one if their parameters differ. A function may have any
number of prototypes, but one body.";

    F0204 UsedBeforeDeclaration Error "A name is used above its declaration."
"HLSL reads a file from top to bottom. Move the declaration up, or give a function a prototype:
    float3 light(float3 n);
    float4 main(float3 n : NORMAL) : SV_Position { return float4(light(n), 1); }";

    F0205 UnsupportedType Error "A type that is not supported."
"All arithmetic has 32 bits: `double`, the 64-bit integers and the native 16-bit types `float16_t`, `int16_t` and
`uint16_t` are refused. `half` and the `min16` types are taken, as 32-bit types. The type counts for entries that reach
it; other functions of the file may use it.";

    F0206 BadType Error "A type that cannot stand here."
"For example a variable of type void, a vector of five components, or a template without its arguments:
    vector<float, 5> v;
    StructuredBuffer b;      // of what?";

    F0207 ArrayLength Error "The length of an array is missing or wrong."
"A length is a positive integer that is known when the shader is compiled. Only the first dimension of a variable with
an initialiser may be left open:
    float a[] = { 1, 2, 3 };";

    F0208 TooLarge Error "A type has too many components."
"A variable has at most 65536 components of 32 bits, all elements of arrays and members of structs counted.";

    F0209 UnknownMember Error "A struct, resource or value has no such member."
"Members are the fields and methods of a struct, those of its bases included, and the methods of a resource.";

    F0210 IncompleteType Error "A struct is used before it is complete."
"A struct cannot contain itself, and one that is only announced (`struct S;`) cannot be used for a variable.";

    F0211 BadInheritance Error "A struct cannot inherit from this."
"A struct inherits from one struct with fields, and from any number of interfaces.";

    F0212 BadTemplate Error "A template or its arguments are wrong."
"A template takes as many arguments as it has parameters, those with defaults aside, and its instances may not need each
other without end.";

    F0213 BadModifier Error "A modifier that does not fit the declaration."
"For example a default value for an `out` parameter.";

    F0214 BadDeclaration Error "A declaration in a place where it is not allowed."
"Functions stand at file scope, in namespaces and structs, never inside other functions.";

    F0215 BadRegister Error "A register or packoffset that does not exist."
"Registers are written as `register(b0)`, `register(t3, space1)` or `register(c4)`, places in a constant buffer as
`packoffset(c2.y)`.";

    F0216 NotConstant Error "A value that must be known when the shader is compiled is not."
"Lengths of arrays, labels of cases, values of enums and arguments of templates are made of literals, enum values and
`static const` or `const` variables that are themselves so initialised. Loose globals are no constants: their values
come from a constant buffer.";

    F0217 MissingInitializer Error "A constant has no initialiser."
"A `const` variable gets its value where it is declared, and never again.";

    F0218 StaticAssert Error "A static assertion failed."
"The shader's author demands a condition that does not hold.";

    // F03xx: expressions and calls.

    F0301 CannotConvert Error "A value cannot be converted to the type that is wanted."
"Numbers convert to each other, one component becomes many, and vectors and matrices are cut to smaller ones. They are
never made larger:
    float3 q = p;            // where p is a float2
    float3 q = float3(p, 0); // is meant";

    F0302 BadOperands Error "An operator does not take these operands."
"Arithmetic takes numbers, vectors and matrices of fitting dimensions, bit operators integers. `*` works component by
component; `mul` is the product of linear algebra.";

    F0303 NotAssignable Error "Something that cannot be assigned."
"Only variables can be written, and parts of them: not constants, not loose globals or members of constant buffers, not
computed values.";

    F0304 ArgumentCount Error "A function is given too many or too few arguments."
"Every parameter needs an argument, except those with a default at the end.";

    F0305 NoMatchingOverload Error "No function of that name takes these arguments."
"Each argument has to convert to its parameter; an argument for `out` or `inout` is a variable, and converts back, too.";

    F0306 AmbiguousCall Error "Several functions fit a call equally well."
"A function is better than another if none of its arguments converts worse, and one better. Without a best one a cast
decides:
    float f(int a, float b);
    float f(float a, int b);
    f(1u, 1u);               // f(int(1), 1u)";

    F0307 NotCallable Error "Something that is no function is called."
"Only functions, methods of an object, and objects with `operator()` can be called.";

    F0308 ConstructorCount Error "A constructor is given the wrong number of components."
"The arguments of a constructor together have as many components as the type:
    float4(v.xyz, 1)         // 3 + 1
One argument alone is a cast: `float4(0)` has four zeros.";

    F0309 InitializerCount Error "A list has too many or too few values."
"Lists in braces are taken apart, component by component; the number has to be that of the variable:
    float2 a[2] = { 1, 2, float2(3, 4) };
    S s = (S)0;              // all zeros";

    F0310 DivisionByZero Error "An integer is divided by a zero that is known."
"Integers have no infinity. At run time, `/` and `%` by zero give all ones.";

    F0311 BadSwizzle Error "A swizzle that does not fit the value."
"Components of a vector are `xyzw` or `rgba`, up to four, not mixed, and only those that it has. Elements of a matrix are
`_m00` to `_m33`, or `_11` to `_44`. To be assigned, a swizzle names no component twice.";

    F0312 IndexOutOfRange Error "An index that is known is out of range."
"The elements of an array of n are numbered from 0 to n - 1; so are the rows of a matrix and the components of a vector.";

    F0313 CannotIndex Error "Something that cannot be indexed, or not with this."
"Arrays, matrices, vectors and some resources are indexed with an integer.";

    F0314 LiteralTooLarge Error "An integer literal does not fit 32 bits."
"Integers range from -2147483648 to 2147483647 (`int`) or from 0 to 4294967295 (`uint`).";

    F0315 VectorLogic Error "A logical operator on vectors, by the rules of HLSL 2021."
"Since HLSL 2021 `&&`, `||` and `?:` evaluate only what they need, and take scalars. Component by component work `and`,
`or` and `select`. With --hlsl 2018 the operators take vectors.";

    F0316 ConditionType Error "A condition is no scalar."
"`if`, loops and `?:` need one truth value. `any(v < 0)` and `all(v < 0)` make one of several.";

    F0317 RefusedIntrinsic Error "Something that a vertex shader cannot do."
"Derivatives, and what chooses a mip level by them, `discard`, barriers and the like belong to other stages. Functions that
the entry does not reach may use them.";

    F0318 MisplacedInitializer Error "A list in braces where none is allowed."
"Braces initialise variables; elsewhere a value is made with the name of its type: `float2(a, b)`.";

    F0319 UnsupportedFeature Error "Something of HLSL that is not supported."
"The message says what. It counts for entries that reach it; other functions of the file may use it.";

    F0320 Recursion Error "A function calls itself."
"HLSL has no stack: functions may not call themselves, neither directly nor through others. Use a loop.";

    // F04xx: statements.

    F0401 MisplacedJump Error "A `break` or `continue` outside of what it could leave."
"`break` leaves the innermost loop or switch, `continue` goes on with the next round of the innermost loop.";

    F0402 FallThrough Error "A case falls through into the next."
"A case ends with `break`, `return` or `continue`. Only cases without statements may fall into the next one:
    case 0:
    case 1: x = 1; break;";

    F0403 DuplicateCase Error "A value has two cases in the same switch."
"Each value, and `default`, stands in one case only.";

    F0404 ReturnValue Error "A function's return value is missing, or one is returned that it does not have."
"A function with a type returns a value of it; a `void` function returns none.";

    F0405 AttributeConflict Error "Two attributes exclude each other."
"A loop is `[loop]` or `[unroll]`, a branch `[branch]` or `[flatten]`. All of them are hints and never change results.";

    // F05xx: entries, semantics, signatures, constant layout, profiles.

    F0501 UnknownEntry Error "There is no function with the name of the entry."
"The entry is the function that runs for each vertex; -E names it, `main` by default. It is a function of its own at the
outermost level, not a method, a template or a function in a namespace.";

    F0502 BadEntry Error "The function cannot be an entry."
"An entry has a body, and its parameters and its return value are numbers, vectors, matrices, or arrays and structs of
these. Two functions of the same name cannot be told apart by -E.";

    F0503 MissingSemantic Error "An input or output of the entry has no semantic."
"Whatever comes into an entry or leaves it has a semantic, which joins it to a vertex element or to the next stage:
    float4 main(float4 p : POSITION) : SV_Position
In structs each member has one, or the parameter has one for all of them. A value that is the same for the whole draw
belongs into a constant buffer, or is declared `uniform`.";

    F0504 DuplicateSemantic Error "Two inputs or two outputs have the same semantic."
"Name and index together are different for each register of a signature. Names are compared without case, a name
without digits has the index 0, and an array or a matrix takes one index per register:
    float4x4 world : WORLD;      // WORLD0 to WORLD3
    float4 extra : WORLD3;       // taken";

    F0505 UnknownSystemValue Error "A system value that does not exist."
"Names that begin with SV_ are Direct3D's. A semantic of your own needs another name.";

    F0506 MisplacedSystemValue Error "A system value stands where there is none."
"Each system value exists at certain stages, as input, output or both. SV_VertexID comes into vertex shaders only,
SV_PrimitiveID into geometry and later ones; SV_Target and SV_Depth leave pixel shaders.";

    F0507 SystemValueNeedsModel Error "A system value needs a later shader model."
"SV_ViewID came with shader model 6.1, SV_ShadingRate with 6.4, SV_StartVertexLocation and SV_StartInstanceLocation with
6.8. Compile for such a profile: -T vs_6_8.";

    F0508 SystemValueType Error "A system value has the wrong type."
"SV_Position is a float4; ids and indices are uint; clip and cull distances are floats or vectors of them.";

    F0509 TooManyRegisters Error "A signature has more registers than the profile allows."
"A vertex shader has 32 input and 32 output registers of four components, 16 of each in profile vs_4_0. Each input takes
a register of its own; each column of a matrix (row, if it is row_major) and each element of an array is one.";

    F0510 TooManyDistances Error "Too many clip and cull distances."
"SV_ClipDistance and SV_CullDistance together have at most 8 components.";

    F0511 ConstantBufferTooLarge Error "A constant buffer is too large."
"A constant buffer ends at 65536 bytes, which are 4096 registers of 16 bytes. Each element of an array begins a
register:
    float a[4097];       // ends at 65540";

    F0512 MisalignedOffset Error "A packoffset at which the member may not lie."
"A vector may not cross the end of its register; arrays, structs and matrices of several registers begin one:
    float3 v : packoffset(c0.z);     // would cross into c1";

    F0513 RegisterTaken Error "Two things are bound to the same register."
"Each constant buffer, resource and sampler that an entry uses has a register of its own. Without `register(…)` the
lowest free one is taken.";

    F0514 TooManyBindings Error "More buffers, resources or samplers than there are registers."
"An entry may use the registers b0 to b13, t0 to t127 and s0 to s15.";

    F0515 SemanticIndexTooLarge Error "The index of a semantic is too large."
"The digits at the end of a semantic are its index, a number that fits 32 bits.";

    F0516 CallsUndefined Error "The entry reaches a function that has no body."
"The function is declared, and called, but defined nowhere:
    float3 light(float3 n);          // no body";

    F0517 StageNotRun Error "A stage that is checked, but not run."
"Geometry shaders are checked up to their signatures. Only vertex shaders are compiled.";

    // F06xx: limits of code generation.

    F0601 ResourceNotRun Error "The entry reads a resource."
"Resources and samplers are declared, typed, checked and reflected, but code that reads one is not generated yet.";

    F0602 TooLargeToCompile Error "The shader is too large for code generation."
"Calls are inlined and short loops unrolled before code is generated, and what comes out has limits: 600 levels of calls,
statements and expressions inside each other, 150 of conditions and loops, 262144 components of variables, and the number of
operations that the message names. The reference interpreter has none of these limits.";

    // F10xx: warnings of the preprocessor.

    F1001 MacroRedefined Warning "A macro is defined again with another text."
"The later definition counts from there on. Where that is meant, put #undef before it:
    #define COUNT 4
    #undef COUNT
    #define COUNT 8"
    fxc 1519;

    F1002 UnknownPragma Warning "A #pragma that is not known."
"It has no effect. Known are pack_matrix, once, warning and message; def, region, endregion and dxc are passed over."
    fxc 1567, 3568;

    F1003 WarningDirective Warning "A #warning was reached."
"The shader's author wants this to be seen.";

    F1004 ExtraTokens Warning "A directive is followed by something that has no effect."
"For example,
    #endif SKINNED
is meant as `#endif // SKINNED`."
    fxc 1518;

    F1005 PragmaMessage Note "A #pragma message was reached."
"The shader's author wants this to be seen.";

    F1006 BadPaste Warning "Two pieces of text pasted by ## do not make one token."
"`##` joins two tokens to one, as in
    #define SLOT(n) t##n      // SLOT(3) is t3
where the result has to be a single name, number or operator. Otherwise the two stay side by side, as with fxc; dxc
refuses this.";

    F1101 EffectSyntaxSkipped Note "Effect syntax is passed over."
"Techniques, passes, annotations, state blocks, sampler_state and `compile vs_5_0 F()` belong to the effect framework. They are read and
have no effect; the entry and its profile are named from outside.";

    // F12xx: warnings and notes of the checker.

    F1201 ImplicitTruncation Warning "Components are cut off without a cast."
"Where a smaller vector or matrix is wanted, the last components (of a matrix: the right and lower part) are dropped.
A swizzle or cast says that it is meant:
    float3 n = v4.xyz;"
    fxc 3206;

    F1202 UninitializedRead Warning "A variable is read before it is assigned."
"It counts as zero here; on a GPU it may be anything."
    fxc 3578, 4000;

    F1203 UnreachableCode Warning "A statement that is never reached."
"What stands behind a `return`, `break` or `continue` in the same block is never executed.";

    F1204 PrecisionLoss Warning "A float becomes an integer without a cast."
"The fraction is dropped. `int(x)` says that it is meant; `round(x)` goes to the nearest.";

    F1205 UnusedResult Warning "An expression has no effect."
"Nothing is assigned and nothing is called, or what an operator gives is not used."
    fxc 3203;

    F1206 UnknownAttribute Warning "An attribute that is not known."
"It has no effect. Known are unroll, loop, branch, flatten, fastopt, allow_uav_condition, forcecase and call."
    fxc 3554;

    F1207 LoopVariableLeaks Warning "A loop's variable is used after the loop."
"By the rules of 2018 a variable declared in a `for` lives on after it. HLSL 2021 does not allow that."
    fxc 3078;

    F1208 MinPrecision Note "A type of low precision is computed with 32 bits."
"`half` and the `min16` types have 32 bits here, in arithmetic and in memory. It is said once per shader.";

    F1209 MissingReturn Warning "Not every path returns a value."
"Where no value is returned, it counts as zero."
    fxc 3507;

    F1210 IgnoredInitializer Warning "The initialiser of a loose global has no effect."
"Loose globals and members of constant buffers get their values from the constant buffer. A constant of the shader is
`static const`. It is said once per shader.";

    // F15xx: warnings about entries and layout.

    F1501 MixedPackOffset Warning "A member without packoffset beside members with one."
"Direct3D's compilers refuse or warn of constant buffers in which only some members have a packoffset. The member follows
the highest end of those before it.";

    F1502 UnusedInput Warning "An input of the entry is never read."
"The input takes part in the signature, so a vertex layout must provide it, but the shader does not use it.";

    F1503 NoInput Warning "The entry has no input."
"An entry that takes nothing, not even SV_VertexID, does the same for every vertex. Direct3D's documentation asks for at
least one input.";
}

impl Code {
    /// The code of that number (`F0042`, in either case).
    pub fn from_number(number: &str) -> Option<Code> {
        Code::ALL
            .iter()
            .copied()
            .find(|code| code.number().eq_ignore_ascii_case(number))
    }
}

impl Code {
    /// The codes that `#pragma warning` means by a number: ours (`F1001`) or one of Microsoft's compilers.
    pub fn for_pragma(number: &str) -> Vec<Code> {
        let fxc: Option<u32> = number.trim_start_matches(['X', 'C']).parse().ok();
        let is_meant = |code: &&Code| {
            code.number().eq_ignore_ascii_case(number)
                || fxc.is_some_and(|n| code.fxc_numbers().contains(&n))
        };
        Code::ALL.iter().filter(is_meant).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_warnings_have_their_own_range() {
        assert!(Code::ALL.is_sorted_by(|a, b| a.number() < b.number()));
        for code in Code::ALL {
            let is_error = code.severity() == Severity::Error;
            assert_eq!(code.number().starts_with("F0"), is_error, "{code:?}");
        }
    }

    #[test]
    fn titles_and_explanations_are_sentences() {
        for code in Code::ALL {
            assert!(code.title().ends_with('.'), "{code:?}");
            assert!(code.explanation().len() > 40, "{code:?}");
            assert_eq!(code.explanation().trim(), code.explanation(), "{code:?}");
        }
    }

    #[test]
    fn a_code_is_found_by_its_number() {
        assert_eq!(Code::from_number("f0002"), Some(Code::IncludeNotFound));
        assert_eq!(Code::from_number("F9999"), None);
    }
}
